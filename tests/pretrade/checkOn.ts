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

/** Starts a Base of its own with the test tokens. */
export async function startTestTokens(): Promise<TestTokensOnBase> {
  const sandbox = await startSandbox({ chains: ['base'], testTokens: true });
  const { base } = sandbox.chains;
  if (!base || !sandbox.testTokens) throw new TypeError('Base did not start with its test tokens.');
  return { sandbox, base, testTokens: sandbox.testTokens };
}

/** No deadline of a loaded machine may cost a power. */
const patient: PretradeOptions = { powerDeadlineMs: 30_000 };

/** A checker that never answers from memory of answers, over one counted endpoint. */
export function checkerOn(
  base: SandboxChain,
  url = base.rpcUrl,
): { checker: PretradeChecker; endpoint: CountingEndpoint } {
  const endpoint = loopbackEndpoint(url);
  return { checker: checkerOver(base, endpoint), endpoint };
}

/** The same over an endpoint of the test's own. */
export function checkerOver(base: SandboxChain, endpoint: RpcEndpoint, pretrade = patient): PretradeChecker {
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
  { testTokens }: TestTokensOnBase,
  checker: PretradeChecker,
): Promise<Map<string, PretradeAnswer>> {
  const answers = new Map<string, PretradeAnswer>();
  for (const { symbol, address } of testTokens.tokens) {
    answers.set(symbol, await checker.check({ chain: 'base', token: address }));
  }
  return answers;
}
