import { afterAll, beforeAll } from 'vitest';
import { byChain, createEngine, type EnginePorts, type QuoteRequest, type RpcEndpoint } from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, type SandboxWallet, startSandbox } from '../../sandbox/index.ts';
import { hookedShapes, tokenOf } from '../engine/market.ts';

/** Starts a local Base for the tests of a file. */
export function useBase() {
  let sandbox: Sandbox;
  let chain: SandboxChain;
  beforeAll(async () => {
    sandbox = await startSandbox({ chains: ['base'] });
    chain = sandbox.chains.base as SandboxChain;
  });
  afterAll(() => sandbox?.close());

  const address = (symbol: string) => tokenOf(chain, symbol).address;
  return {
    get chain() {
      return chain;
    },
    get trader() {
      return sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
    },
    /** Creates an engine without an answer cache, unless `ports` sets one. */
    engineWith: (endpoints: readonly RpcEndpoint[], ports: Partial<EnginePorts> = {}) =>
      createEngine({
        rpc: { base: endpoints },
        now: Date.now,
        freshnessMs: byChain(() => 0),
        deadlineMs: 20_000,
        extraV4Shapes: { base: hookedShapes(chain) },
        ...ports,
      }),
    /** A query by symbols of the sandbox's tokens. */
    queryOf: (tokenIn: string, tokenOut: string, size: string) =>
      ({
        chain: 'base',
        tokenIn: address(tokenIn),
        tokenOut: address(tokenOut),
        size: { tokenIn: size },
      }) satisfies QuoteRequest,
  };
}
