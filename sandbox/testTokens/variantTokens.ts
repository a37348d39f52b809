import { evasions } from './evasions.ts';
import { patternTokens } from './patternTokens.ts';
import { scanBounds } from './scanBounds.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { variantGates } from './variantGates.ts';
import { variantPowers } from './variantPowers.ts';
import { variantProxies } from './variantProxies.ts';
import { variantReplies } from './variantReplies.ts';
import { variantRules } from './variantRules.ts';

/**
 * Variants of known patterns: a few contracts with parameters (`Variants.sol`, `VariantPowers.sol`, `ScanBounds.sol`,
 * `Evasions.sol` and `Patterns.sol` in `contracts/testTokens`).
 * `tests/pretrade/variants.test.ts` runs them on a separate chain, so that other tests do not deploy them.
 */
export const variantTokens: readonly TokenDefinition[] = [
  ...variantRules,
  ...variantReplies,
  ...variantPowers,
  ...variantGates,
  ...variantProxies,
  ...scanBounds,
  ...evasions,
  ...patternTokens,
];
