import { alwaysFalseTokenArtifact } from '../../contracts/artifacts/testTokens/AlwaysFalseToken.ts';
import { cameraShyTokenArtifact } from '../../contracts/artifacts/testTokens/CameraShyToken.ts';
import { deafToContractsTokenArtifact } from '../../contracts/artifacts/testTokens/DeafToContractsToken.ts';
import { makerSpyTokenArtifact } from '../../contracts/artifacts/testTokens/MakerSpyToken.ts';
import { noContractsTokenArtifact } from '../../contracts/artifacts/testTokens/NoContractsToken.ts';
import { richOriginTokenArtifact } from '../../contracts/artifacts/testTokens/RichOriginToken.ts';
import { standInSpyTokenArtifact } from '../../contracts/artifacts/testTokens/StandInSpyToken.ts';
import { tradeOnlyTokenArtifact } from '../../contracts/artifacts/testTokens/TradeOnlyToken.ts';
import { twoDecimalsTokenArtifact } from '../../contracts/artifacts/testTokens/TwoDecimalsToken.ts';
import { describeToken } from './describeToken.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { saleBlocked, tradable, tradeBlocked } from './truths.ts';

/** Tokens whose behaviour depends on the caller, or whose return values are unusual. */
export const callerTokens: readonly TokenDefinition[] = [
  describeToken(
    'NOSMART',
    noContractsTokenArtifact,
    'Contracts other than its pair cannot send or receive it, so smart wallets cannot trade.',
    tradable({ outcomes: ['contract-wallets-only-blocked', 'tradable'], contractWalletCanTrade: false }),
  ),
  describeToken(
    'DEAF',
    deafToContractsTokenArtifact,
    'A transfer by a smart wallet returns true and moves nothing.',
    tradable({ outcomes: ['contract-wallets-only-blocked', 'tradable'], contractWalletCanTrade: false }),
  ),
  describeToken(
    'TRADEONLY',
    tradeOnlyTokenArtifact,
    'Trades with its pair work. Transfers between wallets revert.',
    tradable({ canTransfer: false, transferTax: null, receiverCanSell: false }),
  ),
  describeToken(
    'ALLFALSE',
    alwaysFalseTokenArtifact,
    'Transfers move tokens but return false, so the pair and the routers revert.',
    tradeBlocked({ sellTax: 0 }),
  ),
  describeToken(
    'SPY',
    standInSpyTokenArtifact,
    'Trap: sales work only if the copy of the router code that a simulation creates exists, so no real wallet can sell.',
    saleBlocked(),
  ),
  describeToken(
    'SHY',
    cameraShyTokenArtifact,
    'Honest to wallets. Refuses sales if the copy of the router code that a simulation creates exists.',
    tradable({ outcomes: ['unknown', 'tradable'], refusesSimulations: true }),
  ),
  describeToken(
    'RICH',
    richOriginTokenArtifact,
    'Trap: sales work only if tx.origin holds more than 100,000 ether, as in many simulations.',
    saleBlocked(),
  ),
  describeToken(
    'MAKERSPY',
    makerSpyTokenArtifact,
    'Sales work only in blocks with a zero coinbase, as in the sandbox and in some simulations.',
    tradable(),
  ),
  describeToken(
    'TWODEC',
    twoDecimalsTokenArtifact,
    'Honest to wallets. decimals() returns another value in a call that has read USDC before.',
    tradable(),
  ),
];
