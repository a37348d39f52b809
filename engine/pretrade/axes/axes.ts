import { type LeafRule, none, type WhyNull } from '../attribution.ts';
import { type RiskProfile, signalNameOf } from '../pretradeTypes.ts';
import { ageAxis } from './age.ts';
import type { Axis } from './axis.ts';
import { concentrationAxis } from './concentration.ts';
import { liquidityAxis } from './liquidity.ts';
import { oracleAxis } from './oracle.ts';
import { transferabilityAxis } from './transferability.ts';

/** The axis of each section of the risk profile: a missing or a wrong one is a compile error. */
const axes: { readonly [Section in keyof RiskProfile]: Axis<Section> } = {
  age: ageAxis,
  concentration: concentrationAxis,
  liquidity: liquidityAxis,
  oracle: oracleAxis,
  transferability: transferabilityAxis,
};

const noteOf = (section: string): LeafRule => ({ source: () => `derived: risk_profile.${section}` });
const noStoredValue: WhyNull = () => none('no stored measurement was used');

function signalRules(axis: Pick<Axis<keyof RiskProfile>, 'signal' | 'whyNoValue'>): Record<string, LeafRule> {
  const source = axis.signal;
  return {
    severity: { source },
    value: { source, whyNull: axis.whyNoValue },
    unit: { source },
    reason: { source },
    cachedAgeSec: { source, whyNull: noStoredValue },
  };
}

/** Rules of the leaves below `flags` and `risk_profile`, by path. */
const axisRules = new Map<string, LeafRule>(
  (Object.keys(axes) as (keyof RiskProfile)[]).flatMap((section) => [
    ...withPrefix(`flags.${signalNameOf[section]}`, signalRules(axes[section])),
    ...withPrefix(`risk_profile.${section}`, { ...axes[section].fields, note: noteOf(section) }),
  ]),
);

function withPrefix(prefix: string, rules: Record<string, LeafRule>): [string, LeafRule][] {
  return Object.entries(rules).map(([leaf, rule]) => [`${prefix}.${leaf}`, rule]);
}

/** Undefined for leaves that belong to no axis. */
export const findAxisRule = (path: string): LeafRule | undefined => axisRules.get(path);
