import { canTradeTokenArtifact } from '../../contracts/artifacts/testTokens/CanTradeToken.ts';
import { isLiveTokenArtifact } from '../../contracts/artifacts/testTokens/IsLiveToken.ts';
import { lyingGateTokenArtifact } from '../../contracts/artifacts/testTokens/LyingGateToken.ts';
import { partyTokenArtifact } from '../../contracts/artifacts/testTokens/PartyToken.ts';
import { presaleTokenArtifact } from '../../contracts/artifacts/testTokens/PresaleToken.ts';
import { tradingPausedTokenArtifact } from '../../contracts/artifacts/testTokens/TradingPausedToken.ts';
import { transfersEnabledTokenArtifact } from '../../contracts/artifacts/testTokens/TransfersEnabledToken.ts';
import { describeToken } from './describeToken.ts';
import type { Artifact, GroundTruth, TokenDefinition } from './testTokenTypes.ts';
import { frozen, tradable } from './truths.ts';

function gate(symbol: string, about: string, artifact: Artifact, open: boolean, truth: GroundTruth): TokenDefinition {
  return describeToken(symbol, artifact, about, truth, { args: [open] });
}

const closedBy = (getter: string, ambiguous: boolean) =>
  frozen({
    verdict: 'avoid',
    triggers: ['TRADING_DISABLED'],
    tradingGate: { getter, reads: false, ambiguous },
  });

/** Variants of trading gates. */
export const variantGates: readonly TokenDefinition[] = [
  gate('GCANTRADE', 'Trap: canTrade() returns false.', canTradeTokenArtifact, false, closedBy('canTrade', false)),
  gate(
    'GCANTRADE1',
    'canTrade() returns true.',
    canTradeTokenArtifact,
    true,
    tradable({ tradingGate: { getter: 'canTrade', reads: true, ambiguous: false } }),
  ),
  gate(
    'GTRANSFERS',
    'Trap: transfersEnabled() returns false.',
    transfersEnabledTokenArtifact,
    false,
    closedBy('transfersEnabled', false),
  ),
  gate(
    'GISLIVE',
    'Trap: isLive() returns false, and all transfers revert.',
    isLiveTokenArtifact,
    false,
    closedBy('isLive', true),
  ),
  gate(
    'GPAUSED',
    'Trap: tradingPaused() returns true, and all transfers revert.',
    tradingPausedTokenArtifact,
    false,
    frozen({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      tradingGate: { getter: 'tradingPaused', reads: true, ambiguous: true, shutWhen: true },
    }),
  ),
  gate(
    'GPARTY',
    'All trades revert, and the service does not read the getter of the gate.',
    partyTokenArtifact,
    false,
    frozen(),
  ),
  gate(
    'GLIES',
    'tradingOpen() returns true, but all trades revert.',
    lyingGateTokenArtifact,
    false,
    frozen({ tradingGate: { getter: 'tradingOpen', reads: true, ambiguous: false } }),
  ),
  describeToken(
    'GPRESALE',
    presaleTokenArtifact,
    'Honest: saleActive() and initialized() return false.',
    tradable({ tradingGate: { getter: 'saleActive', reads: false, ambiguous: true } }),
  ),
];
