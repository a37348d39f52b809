import { type Hex, numberToHex, size } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lensDeployment } from '../../contracts/artifacts/lensDeployment.ts';
import type { Engine, QuoteAnswer, RpcCall, RpcEndpoint } from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, withChainRestored } from './market.ts';

// The sandbox has the lenses. An engine uses them after it has read their code, and sends the code before.

let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

/** An engine, and for each of its `eth_call`s the sizes of the code that it places. */
function observed() {
  const inner = loopbackEndpoint(chain.rpcUrl);
  const placed: number[][] = [];
  const endpoint: RpcEndpoint = {
    label: inner.label,
    async send(calls, options) {
      placed.push(...calls.filter(({ method }) => method === 'eth_call').map(codesOf));
      return inner.send(calls, options);
    },
  };
  return { engine: engineOver(chain, endpoint), placed };
}

function codesOf({ params }: RpcCall): number[] {
  const overrides = Object.values((params[2] ?? {}) as Record<string, { code?: Hex }>);
  return overrides.flatMap(({ code }) => (code ? [size(code)] : []));
}

/** A proxy has 45 bytes, and up to 64 random ones. */
const isProxy = (bytes: number) => bytes <= 109;

const quoteOf = (engine: Engine, tokenOut = chain.usdc) =>
  engine.quote({ chain: 'base', tokenIn: chain.wrappedNative, tokenOut, size: { tokenIn: '1' } });

/** What must not depend on where the lens's code is. */
const factsOf = ({ ts, validUntil, flags, ...facts }: QuoteAnswer) => ({
  ...facts,
  flags: flags.map(({ code, severity }) => [code, severity]),
});

const node = () => createNodeClient(chain.rpcUrl);
const mine = () => node().call('anvil_mine', ['0x1']);

test('a known pair places a proxy instead of the code, and gets the same answer', async () => {
  const [deployed, placing] = [observed(), observed()];
  await deployed.engine.refreshDeployments();
  expect(deployed.engine.lensState('base')).toBe('deployed');
  expect(placing.engine.lensState('base')).toBe('unread');
  for (const { engine } of [deployed, placing]) await quoteOf(engine);
  for (const { placed } of [deployed, placing]) placed.length = 0;
  await mine();
  const [one, other] = [await quoteOf(deployed.engine), await quoteOf(placing.engine)];
  expect(factsOf(one)).toEqual(factsOf(other));
  expect(deployed.placed.flat().filter(isProxy)).toHaveLength(1);
  expect(placing.placed.flat().filter(isProxy)).toHaveLength(0);
});

test('look-ups go through a proxy, but not with executions in the same call', async () => {
  const { engine, placed } = observed();
  await engine.refreshDeployments();
  await quoteOf(engine);
  // The first sale of a token: look-ups alone. They are a call of the deployed lens.
  expect(placed.flat().filter(isProxy)).toHaveLength(1);
  placed.length = 0;
  const cbBtc = chain.tokens.find(({ symbol }) => symbol === 'cbBTC')?.address;
  if (!cbBtc) throw new TypeError('The sandbox has no cbBTC.');
  await quoteOf(engine, cbBtc);
  // A new pair whose token was sold before: the same call executes routes.
  expect(placed[0]?.some(isProxy)).toBe(false);
});

test('code that disappeared is sent again in the same quote, and with the next ones', async () => {
  await withChainRestored(chain, async () => {
    const { engine, placed } = observed();
    await engine.refreshDeployments();
    const before = await quoteOf(engine);
    for (const { address } of lensDeployment.lenses) await node().call('anvil_setCode', [address, '0x']);
    await mine();
    placed.length = 0;
    const after = await quoteOf(engine);
    expect(after.amountOut).toBe(before.amountOut);
    expect(after.blockNumber).toBe(before.blockNumber + 1n);
    // The request with the proxy, and the one with the code.
    expect(placed.flat().filter(isProxy)).toHaveLength(1);
    placed.length = 0;
    await mine();
    await quoteOf(engine);
    expect(placed.flat().filter(isProxy)).toHaveLength(0);
    // The code is read again, and counts as missing after two results.
    await engine.refreshDeployments();
    expect(engine.lensState('base')).toBe('unread');
  });
});

test('other code at an address is not used', async () => {
  await withChainRestored(chain, async () => {
    const [lens] = lensDeployment.lenses;
    await node().call('anvil_setCode', [lens.address, numberToHex(0x6001)]);
    const { engine, placed } = observed();
    await engine.refreshDeployments();
    expect(engine.lensState('base')).toBe('missing');
    await quoteOf(engine);
    expect(placed.flat().filter(isProxy)).toHaveLength(0);
  });
});
