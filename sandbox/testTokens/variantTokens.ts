import type { TokenDefinition } from './testTokenTypes.ts';
import { variantGates } from './variantGates.ts';
import { variantPowers } from './variantPowers.ts';
import { variantProxies } from './variantProxies.ts';
import { variantReplies } from './variantReplies.ts';
import { variantRules } from './variantRules.ts';

/**
 * Variants of known patterns by parameters of few contracts (contracts/testTokens/Variants.sol, VariantPowers.sol). They have a
 * chain of their own in `tests/pretrade/variants.test.ts`, so that the other tests stay as fast as they are.
 */
export const variantTokens: readonly TokenDefinition[] = [
  ...variantRules,
  ...variantReplies,
  ...variantPowers,
  ...variantGates,
  ...variantProxies,
];
