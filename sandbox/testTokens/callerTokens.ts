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

/** Tokens that look at who asks, and at what is answered. */
export const callerTokens: readonly TokenDefinition[] = [
  describeToken(
    'NOSMART',
    noContractsTokenArtifact,
    'Contracts other than its pair may not hold it: smart wallets are refused.',
    tradable({ outcomes: ['contract-wallets-only-blocked', 'tradable'], contractWalletCanTrade: false }),
  ),
  describeToken(
    'DEAF',
    deafToContractsTokenArtifact,
    'What a smart wallet sends does not move, and is answered with true.',
    tradable({ outcomes: ['contract-wallets-only-blocked', 'tradable'], contractWalletCanTrade: false }),
  ),
  describeToken(
    'TRADEONLY',
    tradeOnlyTokenArtifact,
    'Trades with its pair; nothing moves from wallet to wallet.',
    tradable({ canTransfer: false, transferTax: null, receiverCanSell: false }),
  ),
  describeToken(
    'ALLFALSE',
    alwaysFalseTokenArtifact,
    'Moves tokens and answers false all the same: the pair refuses to pay it out, routers to take it in.',
    tradeBlocked({ sellTax: 0 }),
  ),
  describeToken(
    'SPY',
    standInSpyTokenArtifact,
    'Trap: sells only where it sees the code that a simulation places over the router; no other wallet can sell.',
    saleBlocked(),
  ),
  describeToken(
    'SHY',
    cameraShyTokenArtifact,
    'Honest to wallets; a simulated sale over a stand-in is refused.',
    tradable({ outcomes: ['unknown', 'tradable'], refusesSimulations: true }),
  ),
  describeToken(
    'RICH',
    richOriginTokenArtifact,
    'Trap: only who holds more than 100,000 ether may sell, as simulations give away.',
    saleBlocked(),
  ),
  describeToken(
    'MAKERSPY',
    makerSpyTokenArtifact,
    'Sells only in blocks without a maker: those of this chain, and those that nodes simulate.',
    tradable(),
  ),
  describeToken(
    'TWODEC',
    twoDecimalsTokenArtifact,
    'Honest to wallets; a call that read USDC before gets other decimals.',
    tradable(),
  ),
];
