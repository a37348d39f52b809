import { alwaysFalseTokenArtifact } from '../../contracts/artifacts/zoo/AlwaysFalseToken.ts';
import { deafToContractsTokenArtifact } from '../../contracts/artifacts/zoo/DeafToContractsToken.ts';
import { noContractsTokenArtifact } from '../../contracts/artifacts/zoo/NoContractsToken.ts';
import { tradeOnlyTokenArtifact } from '../../contracts/artifacts/zoo/TradeOnlyToken.ts';
import { describeToken } from './describeToken.ts';
import { tradable, tradeBlocked } from './truths.ts';
import type { ZooToken } from './zooTypes.ts';

/** Tokens that look at who asks, and at what is answered. */
export const callerTokens: readonly ZooToken[] = [
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
];
