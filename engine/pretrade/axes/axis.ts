import type { Attribution, WhyNull } from '../attribution.ts';
import type { RiskProfile } from '../pretradeTypes.ts';

type FieldRule<Value> = null extends Value ? { source: Attribution; whyNull: WhyNull } : { source: Attribution };

/** For each value of an axis: its source, and why it may be null. */
export interface Axis<Section extends keyof RiskProfile> {
  /** Source of the signal. */
  signal: Attribution;
  /** Why the signal may have no value. */
  whyNoValue: WhyNull;
  /** Every field of the section except its note. */
  fields: {
    [Field in Exclude<keyof RiskProfile[Section], 'note'>]-?: FieldRule<RiskProfile[Section][Field]>;
  };
}
