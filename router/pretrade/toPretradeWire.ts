import type { PretradeAnswer } from '../../engine/index.ts';
import type { PretradeOutput } from './pretradeOutput.ts';

export const pretradeDisclaimer =
  'Informational on-chain data, read at the stated block. Not financial advice: clear is not a safety rating, and an owner may change a token with the next block.';

/** Converts the engine's answer to JSON: its only bigint becomes a decimal string, and the disclaimer is added. */
export function toPretradeWire({ identity, ...answer }: PretradeAnswer): PretradeOutput {
  return {
    ...answer,
    identity: { ...identity, totalSupplyRaw: identity.totalSupplyRaw?.toString() ?? null },
    disclaimer: pretradeDisclaimer,
  };
}
