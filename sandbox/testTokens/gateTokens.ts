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

export const gateTokens: readonly TokenDefinition[] = [
  describeToken(
    'PAUSEFLAG',
    pauseFlagTokenArtifact,
    'Honest: paused() reads true and concerns rewards, not transfers.',
    tradable({
      ownerRenounced: false,
      tradingGate: { getter: 'paused', reads: true, ambiguous: true, shutWhen: true },
    }),
  ),
  describeToken(
    'GATEOFF',
    tradingEnabledTokenArtifact,
    'Trap: tradingEnabled() reads false and only the team can trade.',
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
    'The same code with trading enabled, which cannot be undone.',
    tradable({
      ownerRenounced: false,
      tradingGate: { getter: 'tradingEnabled', reads: true, ambiguous: false },
    }),
    { args: [true] },
  ),
  describeToken(
    'GATESALE',
    tradingActiveTokenArtifact,
    'Trap: tradingActive() reads false and stands before sales only.',
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
    'tradingOpen() reads true; the owner may shut it again.',
    tradable({
      ownerRenounced: false,
      tradingGate: { getter: 'tradingOpen', reads: true, ambiguous: false },
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'setTrading', args: [false] }],
    }),
  ),
  describeToken(
    'UNLAUNCHED',
    launchedTokenArtifact,
    'Trap: launched() reads false, a name that may mean many things; here no trade passes.',
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
    'Honest: swapEnabled() reads false and has nothing to do with trading.',
    tradable({ ownerRenounced: false, tradingGate: { getter: 'swapEnabled', reads: false, ambiguous: true } }),
  ),
  describeToken(
    'IDLEGATE',
    idleGateTokenArtifact,
    'isTradingEnabled() reads false though trading passes: the rule goes by the getter, which can only mean a gate.',
    tradable({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      tradingGate: { getter: 'isTradingEnabled', reads: false, ambiguous: false },
    }),
  ),
  describeToken(
    'MUTEGATE',
    silentGateTokenArtifact,
    'Honest: asking its tradingEnabled() fails, which proves nothing.',
    tradable({ tradingGate: { getter: 'tradingEnabled', reads: 'reverts', ambiguous: false } }),
  ),
];
