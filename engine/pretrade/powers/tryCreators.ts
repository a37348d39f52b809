import type { Batch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { PowerScan } from '../pretradePorts.ts';
import { beginScan } from './beginScan.ts';
import type { PowerFinding, PowerMemory } from './powerMemory.ts';
import type { PowerSubject } from './powerSubject.ts';

/** Waits for the rest of a scan. @throws {RpcTransportError} */
export type CreatorScan = (node: Node) => Promise<PowerFinding>;

/**
 * A creator that only a vendor names is not known yet when the scan begins. Its calls join a request that is sent after
 * the vendors responded, so they cost the verdict no round trip. Undefined if there is no new account to try.
 */
export async function tryCreators(
  powers: PowerMemory,
  subject: PowerSubject,
  first: PowerFinding,
  batch: Batch,
): Promise<CreatorScan | undefined> {
  const { creators = [], roles, accounts } = subject;
  if (first.status !== 'scanned' || creators.length === 0) return undefined;
  const recall = await powers.recall(subject);
  if (recall.status === 'known') return async () => ({ status: 'scanned', scan: recall.scan });
  if (recall.status === 'impossible') return undefined;
  const logged = roles.status === 'read' ? [...roles.addresses, ...roles.owners] : [];
  const tried = new Set([...logged, ...(accounts ?? [])]);
  const callers = recall.question.callers.filter(({ role, address }) => role === 'creator' && !tried.has(address));
  if (callers.length === 0) return undefined;
  const scan = beginScan({ ...recall.question, callers }, batch);
  return (node) =>
    powers.conclude(
      recall,
      async () => {
        const found = await scan(node);
        const before = first.scan;
        return {
          ...found,
          functionsTried: Math.max(found.functionsTried, before.functionsTried),
          callsTried: found.callsTried + before.callsTried,
          truncated: found.truncated || before.truncated,
          functionsRefused: mergeRefused(found, before),
          powers: [...before.powers, ...found.powers.filter((power) => !before.powers.some(sameAs(power)))],
        };
      },
      subject.tradable,
    );
}

/** A scan without calls refused nothing, and executed nothing. */
function mergeRefused(found: PowerScan, before: PowerScan): PowerScan['functionsRefused'] {
  if (before.callsTried === 0) return found.functionsRefused;
  return found.functionsRefused.filter((selector) => before.functionsRefused.includes(selector));
}

type FoundPower = Extract<PowerFinding, { status: 'scanned' }>['scan']['powers'][number];
const sameAs = (power: FoundPower) => (other: FoundPower) =>
  power.selector === other.selector && power.effect === other.effect;
