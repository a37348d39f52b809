import { hungryTokenArtifact } from '../../contracts/artifacts/testTokens/HungryToken.ts';
import { narrowAllowanceTokenArtifact } from '../../contracts/artifacts/testTokens/NarrowAllowanceToken.ts';
import { noReturnTokenArtifact } from '../../contracts/artifacts/testTokens/NoReturnToken.ts';
import { permitTokenArtifact } from '../../contracts/artifacts/testTokens/PermitToken.ts';
import { plainTokenArtifact } from '../../contracts/artifacts/testTokens/PlainToken.ts';
import { rebasingTokenArtifact } from '../../contracts/artifacts/testTokens/RebasingToken.ts';
import { receiverHookTokenArtifact } from '../../contracts/artifacts/testTokens/ReceiverHookToken.ts';
import { reflectionTokenArtifact } from '../../contracts/artifacts/testTokens/ReflectionToken.ts';
import { swapBackTokenArtifact } from '../../contracts/artifacts/testTokens/SwapBackToken.ts';
import { zeroEchoTokenArtifact } from '../../contracts/artifacts/testTokens/ZeroEchoToken.ts';
import { describeToken, ownPair } from './describeToken.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { tradable } from './truths.ts';

/** Honest tokens, with properties that a check may mistake for a trap. */
export const honestTokens: readonly TokenDefinition[] = [
  describeToken('PLAIN', plainTokenArtifact, 'Honest: 18 decimals, no owner, no fee.', tradable()),
  describeToken('SIX', plainTokenArtifact, 'Honest, with 6 decimals.', tradable(), { decimals: 6 }),
  describeToken('EIGHT', plainTokenArtifact, 'Honest, with 8 decimals.', tradable(), { decimals: 8 }),
  describeToken('PERMIT', permitTokenArtifact, 'Honest, with approvals by signature (EIP-2612).', tradable()),
  describeToken(
    'UINT96',
    narrowAllowanceTokenArtifact,
    'Honest: allowances have 96 bits, as in UNI and COMP. The only larger value is 2^256 - 1, which means unlimited.',
    tradable(),
  ),
  describeToken(
    'REFLECT',
    reflectionTokenArtifact,
    'Honest: 2 % of every transfer goes to all holders.',
    // The pool is the largest holder: it gets four fifths of a seller's tax back.
    tradable({ buyTax: 0.02, sellTax: 0.004, transferTax: 0.02, taxTolerance: 0.006 }),
  ),
  describeToken(
    'REBASE',
    rebasingTokenArtifact,
    'Honest: every balance grows by 1 % a day.',
    // The growth of the pool's balance since its last sync adds to the measured sale.
    tradable({ mintable: null, taxTolerance: 0.006 }),
  ),
  describeToken(
    'HOOK777',
    receiverHookTokenArtifact,
    'Honest: a transfer calls a hook of a receiving contract, as ERC-777 does.',
    tradable(),
  ),
  describeToken('NORETURN', noReturnTokenArtifact, 'Honest: transfers return no data, as those of USDT.', tradable()),
  describeToken(
    'ECHO',
    zeroEchoTokenArtifact,
    'Honest: returns zero for every unknown function, including the getters of trading gates.',
    tradable(),
  ),
  describeToken('HUNGRY', hungryTokenArtifact, 'Honest: every transfer uses 1.5 million gas.', tradable()),
  {
    ...describeToken(
      'SWAPBACK',
      swapBackTokenArtifact,
      'Honest: a tax of 4 % on trades, which the token sells for ether during sales.',
      tradable({ buyTax: 0.04, sellTax: 0.04 }),
    ),
    deploy: ({ params, create, router }) => create(swapBackTokenArtifact, [params(), router]),
  },
  describeToken('USDPAIR', plainTokenArtifact, 'Honest, with its only pool against USDC.', tradable(), {
    pools: [{ kind: 'venue', venue: 'uniswap-v2', counter: 'USDC', counterAmount: '90000', tokenShare: 0.8 }],
  }),
  describeToken('V3ONLY', plainTokenArtifact, 'Honest, with its only pool on Uniswap v3.', tradable(), {
    pools: [{ kind: 'venue', venue: 'uniswap-v3', counter: 'WETH', counterAmount: '30', tokenShare: 0.8, tier: 10000 }],
  }),
  describeToken('TWOPOOLS', plainTokenArtifact, 'Honest, with pools on Uniswap v2 and v3.', tradable(), {
    pools: [
      ownPair,
      { kind: 'venue', venue: 'uniswap-v3', counter: 'WETH', counterAmount: '3', tokenShare: 0.08, tier: 3000 },
    ],
  }),
];
