import { idleGateTokenArtifact } from '../../contracts/artifacts/testTokens/IdleGateToken.ts';
import { launchedTokenArtifact } from '../../contracts/artifacts/testTokens/LaunchedToken.ts';
import { pauseFlagTokenArtifact } from '../../contracts/artifacts/testTokens/PauseFlagToken.ts';
import { silentGateTokenArtifact } from '../../contracts/artifacts/testTokens/SilentGateToken.ts';
import { swapEnabledTokenArtifact } from '../../contracts/artifacts/testTokens/SwapEnabledToken.ts';
import { tradingActiveTokenArtifact } from '../../contracts/artifacts/testTokens/TradingActiveToken.ts';
import { tradingEnabledTokenArtifact } from '../../contracts/artifacts/testTokens/TradingEnabledToken.ts';
import { tradingOpenTokenArtifact } from '../../contracts/artifacts/testTokens/TradingOpenToken.ts';
import { describeToken } from './describeToken.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { frozen, saleBlocked, tradable } from './truths.ts';

/** Tokens with getters of trading gates: open, closed, ambiguous or without effect. */
export const gateTokens: readonly TokenDefinition[] = [
  describeToken(
    'PAUSEFLAG',
    pauseFlagTokenArtifact,
    'Honest: paused() returns true, but it stops rewards, not transfers.',
    tradable({
      ownerRenounced: false,
      tradingGate: { getter: 'paused', reads: true, ambiguous: true, shutWhen: true },
    }),
  ),
  describeToken(
    'GATEOFF',
    tradingEnabledTokenArtifact,
    'Trap: tradingEnabled() returns false, and only the team can trade.',
    frozen({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      ownerRenounced: false,
      tradingGate: { getter: 'tradingEnabled', reads: false, ambiguous: false },
    }),
    { args: [false] },
  ),
  describeToken(
    'GATEON',
    tradingEnabledTokenArtifact,
    'The same code as GATEOFF with trading enabled, which cannot be undone.',
    tradable({
      ownerRenounced: false,
      tradingGate: { getter: 'tradingEnabled', reads: true, ambiguous: false },
    }),
    { args: [true] },
  ),
  describeToken(
    'GATESALE',
    tradingActiveTokenArtifact,
    'Trap: tradingActive() returns false, which blocks sales but not purchases.',
    saleBlocked({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      ownerRenounced: false,
      tradingGate: { getter: 'tradingActive', reads: false, ambiguous: false },
    }),
  ),
  describeToken(
    'GATEOPEN',
    tradingOpenTokenArtifact,
    'tradingOpen() returns true; the owner can close trading again.',
    tradable({
      ownerRenounced: false,
      tradingGate: { getter: 'tradingOpen', reads: true, ambiguous: false },
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'setTrading', args: [false] }],
    }),
  ),
  describeToken(
    'UNLAUNCHED',
    launchedTokenArtifact,
    'Trap: launched() returns false. The name is ambiguous, but no trade works.',
    frozen({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      ownerRenounced: false,
      tradingGate: { getter: 'launched', reads: false, ambiguous: true },
    }),
  ),
  describeToken(
    'SWAPFLAG',
    swapEnabledTokenArtifact,
    'Honest: swapEnabled() returns false, which does not affect trading.',
    tradable({ ownerRenounced: false, tradingGate: { getter: 'swapEnabled', reads: false, ambiguous: true } }),
  ),
  describeToken(
    'IDLEGATE',
    idleGateTokenArtifact,
    'isTradingEnabled() returns false although trading works. Its name is unambiguous, so the check reports a closed gate.',
    tradable({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      tradingGate: { getter: 'isTradingEnabled', reads: false, ambiguous: false },
    }),
  ),
  describeToken(
    'MUTEGATE',
    silentGateTokenArtifact,
    'Honest: tradingEnabled() reverts, which proves nothing.',
    tradable({ tradingGate: { getter: 'tradingEnabled', reads: 'reverts', ambiguous: false } }),
  ),
];
