import { evasions } from './evasions.ts';
import { patternTokens } from './patternTokens.ts';
import { scanBounds } from './scanBounds.ts';
import { templateTokens } from './templateTokens.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { trickTokens } from './trickTokens.ts';
import { variantGates } from './variantGates.ts';
import { variantPowers } from './variantPowers.ts';
import { variantProxies } from './variantProxies.ts';
import { variantReplies } from './variantReplies.ts';
import { variantRules } from './variantRules.ts';

/**
 * Variants of known patterns: a few contracts with parameters (`Variants.sol`, `VariantPowers.sol`, `Proxies.sol`,
 * `ScanBounds.sol`, `Evasions.sol`, `HiddenPowers.sol`, `Patterns.sol`, `Tricks.sol` and `Templates.sol` in `contracts/testTokens`).
 * Only `variants.test.ts` and `execution.test.ts` in `tests/pretrade` deploy them, on a separate chain.
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
  ...trickTokens,
  ...templateTokens,
];
