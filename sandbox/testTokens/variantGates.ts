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

const shutBy = (getter: string, ambiguous: boolean) =>
  frozen({
    verdict: 'avoid',
    triggers: ['TRADING_DISABLED'],
    tradingGate: { getter, reads: false, ambiguous },
  });

export const variantGates: readonly TokenDefinition[] = [
  gate('GCANTRADE', 'Trap: canTrade() reads false.', canTradeTokenArtifact, false, shutBy('canTrade', false)),
  gate(
    'GCANTRADE1',
    'canTrade() reads true.',
    canTradeTokenArtifact,
    true,
    tradable({ tradingGate: { getter: 'canTrade', reads: true, ambiguous: false } }),
  ),
  gate(
    'GTRANSFERS',
    'Trap: transfersEnabled() reads false.',
    transfersEnabledTokenArtifact,
    false,
    shutBy('transfersEnabled', false),
  ),
  gate('GISLIVE', 'Trap: isLive() reads false, and nothing moves.', isLiveTokenArtifact, false, shutBy('isLive', true)),
  gate(
    'GPAUSED',
    'Trap: tradingPaused() reads true, and nothing moves.',
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
    'tradingOpen() reads true, and no trade passes.',
    lyingGateTokenArtifact,
    false,
    frozen({ tradingGate: { getter: 'tradingOpen', reads: true, ambiguous: false } }),
  ),
  describeToken(
    'GPRESALE',
    presaleTokenArtifact,
    'Harmless: saleActive() and initialized() read false.',
    tradable({ tradingGate: { getter: 'saleActive', reads: false, ambiguous: true } }),
  ),
];
