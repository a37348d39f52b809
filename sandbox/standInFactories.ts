import type { SandboxChainName } from './sandboxPool.ts';

/**
 * Factories of the sandbox, in lower case, whose pools have other code than on the real chain, and therefore other
 * addresses. Sushi v2 and Pancake v2 use Uniswap's pair (with Pancake's fee), QuickSwap v3 and Camelot v3 use Algebra's
 * own release.
 */
export const standInFactories: Record<SandboxChainName, ReadonlySet<string>> = {
  base: new Set([
    '0x71524b4f93c58fcbf659783284e38825f0622859', // sushiswap-v2
    '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e', // pancakeswap-v2
  ]),
  polygon: new Set([
    '0xc35dadb65012ec5796536bd9864ed8773abc74c4', // sushiswap-v2
    '0x411b0facc3489691f28ad58c47006af5e3ab3a28', // quickswap-v3
  ]),
  arbitrum: new Set([
    '0xc35dadb65012ec5796536bd9864ed8773abc74c4', // sushiswap-v2
    '0x1a3c9b1d2f0529d97f2afc5136cc23e58f1fd35b', // camelot-v3
  ]),
};
