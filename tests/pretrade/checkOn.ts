import type { Address } from 'viem';
import {
  byChain,
  createEngine,
  type PretradeAnswer,
  type PretradeChecker,
  type PretradeOptions,
  type RpcEndpoint,
} from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, startSandbox, type TestTokens } from '../../sandbox/index.ts';
import { type CountingEndpoint, loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { hookedShapes } from '../engine/market.ts';

export interface TestTokensOnBase {
  sandbox: Sandbox;
  base: SandboxChain;
  testTokens: TestTokens;
}

/** Starts a separate Base sandbox with the test tokens. */
export async function startTestTokens(): Promise<TestTokensOnBase> {
  const sandbox = await startSandbox({ chains: ['base'], testTokens: true });
  const { base } = sandbox.chains;
  if (!base || !sandbox.testTokens) throw new TypeError('Base did not start with its test tokens.');
  return { sandbox, base, testTokens: sandbox.testTokens };
}

/** Address of a test token or of a token of the chain. */
export function addressIn(
  { testTokens, base }: Pick<TestTokensOnBase, 'testTokens' | 'base'>,
  symbol: string,
): Address {
  const found = [...testTokens.tokens, ...base.tokens].find((token) => token.symbol === symbol);
  if (!found) throw new TypeError(`There is no ${symbol}.`);
  return found.address;
}

/** A long deadline, so that a loaded machine still evaluates every owner function. */
const patient: PretradeOptions = { powerDeadlineMs: 30_000 };

/** A checker without answer cache, over one endpoint that counts its requests. */
export function checkerOn(
  base: SandboxChain,
  url = base.rpcUrl,
): { checker: PretradeChecker; endpoint: CountingEndpoint } {
  const endpoint = loopbackEndpoint(url);
  return { checker: checkerOver(base, endpoint), endpoint };
}

/** An engine that serves checks. */
type CheckEngine = ReturnType<typeof createEngine>;

/** As `checkerOn`, over the given endpoint. */
export function checkerOver(base: SandboxChain, endpoint: RpcEndpoint, pretrade = patient): CheckEngine {
  return createEngine({
    rpc: { base: [endpoint] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
    extraV4Shapes: { base: hookedShapes(base) },
    pretrade,
  });
}

/** Every test token's answer, by symbol. */
export async function checkAll(
  { testTokens }: Pick<TestTokensOnBase, 'testTokens'>,
  checker: PretradeChecker,
): Promise<Map<string, PretradeAnswer>> {
  const answers = new Map<string, PretradeAnswer>();
  for (const { symbol, address } of testTokens.tokens) {
    answers.set(symbol, await checker.check({ chain: 'base', token: address }));
  }
  return answers;
}
