import { algebraTokens } from './algebraTokens.ts';
import { callerTokens } from './callerTokens.ts';
import { exitTokens } from './exitTokens.ts';
import { gateTokens } from './gateTokens.ts';
import { honestTokens } from './honestTokens.ts';
import { oddTokens } from './oddTokens.ts';
import { powerTokens } from './powerTokens.ts';
import { proxyTokens } from './proxyTokens.ts';
import { saleTraps } from './saleTraps.ts';
import { taxTokens } from './taxTokens.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { timingTokens } from './timingTokens.ts';

/** All test tokens except the variants. A token that is a counter-asset of another's pool precedes that token. */
export const coreTokens: readonly TokenDefinition[] = [
  ...honestTokens,
  ...proxyTokens,
  ...taxTokens,
  ...saleTraps,
  ...timingTokens,
  ...callerTokens,
  ...gateTokens,
  ...powerTokens,
  ...oddTokens,
  ...exitTokens,
  ...algebraTokens,
];
