import {
  byChain,
  createEngine,
  type PretradeAnswer,
  type PretradeChecker,
  type PretradeOptions,
  type RpcEndpoint,
} from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, startSandbox, type Zoo } from '../../sandbox/index.ts';
import { type CountingEndpoint, loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { hookedShapes } from '../engine/market.ts';

export interface ZooOnBase {
  sandbox: Sandbox;
  base: SandboxChain;
  zoo: Zoo;
}

/** Base with the zoo, of its own. */
export async function startZoo(): Promise<ZooOnBase> {
  const sandbox = await startSandbox({ chains: ['base'], zoo: true });
  const { base } = sandbox.chains;
  if (!base || !sandbox.zoo) throw new TypeError('Base did not start with its zoo.');
  return { sandbox, base, zoo: sandbox.zoo };
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
export async function checkAll({ zoo }: ZooOnBase, checker: PretradeChecker): Promise<Map<string, PretradeAnswer>> {
  const answers = new Map<string, PretradeAnswer>();
  for (const { symbol, address } of zoo.testTokens) {
    answers.set(symbol, await checker.check({ chain: 'base', token: address }));
  }
  return answers;
}
