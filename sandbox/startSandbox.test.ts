import { encodeFunctionData, type Hex, hexToBigInt, parseAbi, parseEther } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeRoute, type Sandbox, type SandboxChain, startSandbox, withSnapshot } from './index.ts';
import { createNodeClient } from './rpc/nodeClient.ts';

let sandbox: Sandbox;
let base: SandboxChain;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  if (!sandbox.chains.base) throw new TypeError('base did not start');
  base = sandbox.chains.base;
});
afterAll(() => sandbox.close());

test('default: pools of Uniswap land on the addresses they have on mainnet', () => {
  const pools = base.pools.map(({ pool }) => pool);
  expect(pools).toContain('0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C');
  expect(pools).toContain('0xd0b53D9277642d899DF5C87A3966A349A798F224');
  expect(pools).toContain('0x6c561B446416E1A00E8E93E221854d6eA4171372');
});

test('default: USDC signs under the domain that it has on Base', async () => {
  const node = createNodeClient(base.rpcUrl);
  expect(await node.call('eth_call', [{ to: base.usdc, data: '0x3644e515' }, 'latest'])).toBe(
    '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
  );
});

test("default: a swap through the executor pays what Uniswap's quoter says", async () => {
  const abi = parseAbi([
    'function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 limit)) returns (uint256, uint160, uint32, uint256)',
  ]);
  const amountIn = parseEther('10');
  const data = encodeFunctionData({
    abi,
    functionName: 'quoteExactInputSingle',
    args: [{ tokenIn: base.wrappedNative, tokenOut: base.usdc, amountIn, fee: 500, limit: 0n }],
  });
  const node = createNodeClient(base.rpcUrl);
  const quoted = await node.call<Hex>('eth_call', [
    { to: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a', data },
    'latest',
  ]);
  const wallet = sandbox.wallets.find(({ role }) => role === 'trader');
  if (!wallet) throw new TypeError('no trader');
  const leg = {
    venue: 'uniswap-v3',
    pool: '0xd0b53D9277642d899DF5C87A3966A349A798F224',
    tokenIn: base.wrappedNative,
    tokenOut: base.usdc,
  } as const;
  const before = await withSnapshot(base, () => executeRoute(base, { legs: [leg], amountIn, wallet }));
  expect(before.received).toBe(hexToBigInt(quoted.slice(0, 66) as Hex));
  expect(before.spent).toBe(amountIn);
  const again = await withSnapshot(base, () => executeRoute(base, { legs: [leg], amountIn, wallet }));
  expect(again.received).toBe(before.received);
});
