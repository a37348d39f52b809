import { encodeFunctionData } from 'viem';
import { decoyProxyArtifact } from '../../contracts/artifacts/testTokens/DecoyProxy.ts';
import { implementationTokenArtifact } from '../../contracts/artifacts/testTokens/ImplementationToken.ts';
import { plainTokenArtifact } from '../../contracts/artifacts/testTokens/PlainToken.ts';
import { regulatedImplementationArtifact } from '../../contracts/artifacts/testTokens/RegulatedImplementation.ts';
import { simulationOnlyTokenArtifact } from '../../contracts/artifacts/testTokens/SimulationOnlyToken.ts';
import { trickTokenArtifact } from '../../contracts/artifacts/testTokens/TrickToken.ts';
import { describeToken, ownPair } from './describeToken.ts';
import type { GroundTruth, PoolDefinition, TokenDefinition } from './testTokenTypes.ts';
import { saleBlocked, tradable } from './truths.ts';

const tricks = {
  knownTimes: 0,
  smallSaleTax: 1,
  heavySale: 2,
  heavyPurchase: 3,
  quotingText: 4,
  lowGasTax: 5,
} as const;
/** Values of `Sign` in Evasions.sol. */
const signs = { routerCode: 3, usualTip: 6, copiedRouter: 7 } as const;

const trick = (symbol: string, about: string, kind: keyof typeof tricks, truth: GroundTruth) =>
  describeToken(symbol, trickTokenArtifact, about, truth, { args: [tricks[kind]] });

const usdcPair: PoolDefinition = {
  kind: 'venue',
  venue: 'uniswap-v2',
  counter: 'USDC',
  counterAmount: '90000',
  tokenShare: 0.8,
};
/** Contract wallets count as pools of these tokens, and can sell. */
const recognising = (symbol: string, about: string, sign: keyof typeof signs) =>
  describeToken(symbol, simulationOnlyTokenArtifact, about, saleBlocked({ contractWalletCanTrade: true }), {
    args: [signs[sign]],
    pools: [usdcPair],
  });

/** Tokens that misled the check in an attack on it (`Tricks.sol`, and `Evasions.sol` in another pool). */
export const trickTokens: readonly TokenDefinition[] = [
  trick(
    'XTIMES',
    'Trap: a sale works only in the next block and at the exact times at which simulations once sold.',
    'knownTimes',
    saleBlocked({
      outcomes: ['sale-blocked-for-a-time', 'sale-blocked', 'unknown'],
      canSell: true,
      canSellSameBlock: true,
      canSellNextBlock: true,
      receiverCanSell: true,
    }),
  ),
  trick(
    'XSMALLTAX',
    'A tax of 50 % on sales of less than 0.6 % of the supply. A sale of the whole size is not taxed.',
    'smallSaleTax',
    tradable({ sellTax: 0.5, wholeSaleTax: 0 }),
  ),
  trick('XHEAVYSALE', 'A sale burns 8 million gas.', 'heavySale', tradable()),
  trick('XHEAVYBUY', 'A purchase burns 10 million gas.', 'heavyPurchase', tradable()),
  trick(
    'XQUOTES',
    'Trap: the text of a refused sale contains quotation marks and a false sentence.',
    'quotingText',
    saleBlocked(),
  ),
  trick(
    'XLOWGAS',
    'A tax of 50 % on sales with a gas limit as wallets set it. With 12 million gas there is none.',
    'lowGasTax',
    tradable({ usualGasTax: 0.5 }),
  ),
  recognising('XROUTER', 'Trap: a sale for USDC works only through a router with short code.', 'routerCode'),
  recognising('XTIP', 'Trap: a sale for USDC works only with tips of simulations.', 'usualTip'),
  recognising('XCOPY', 'Trap: a sale for USDC works only if there is code where the router is copied.', 'copiedRouter'),
  {
    symbol: 'XDECOY',
    about: 'A proxy that names an honest contract in the EIP-1967 slot, and delegates to one with powers.',
    pools: [ownPair],
    truth: tradable({
      hasBlacklist: null,
      mintable: null,
      ownerRenounced: false,
      powersHidden: true,
      asksContract: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'blacklist', args: ['holder'] }],
    }),
    abi: regulatedImplementationArtifact.abi,
    deploy: ({ create, params, owner }) =>
      create(decoyProxyArtifact, [
        create(plainTokenArtifact, [params(false)]),
        create(regulatedImplementationArtifact),
        encodeFunctionData({
          abi: implementationTokenArtifact.abi,
          functionName: 'initialize',
          args: [params(false), owner],
        }),
      ]),
  },
];
