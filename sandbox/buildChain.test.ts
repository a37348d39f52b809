import { domainSeparator, erc20Abi, formatUnits, hexToNumber, parseAbi, parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, type SandboxChainName, startSandbox } from './index.ts';
import { createNodeClient } from './rpc/nodeClient.ts';
import { chainOf, tokenOf, walletOf } from './testing/findSeeded.ts';
import { readContract } from './testing/readContract.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const names: SandboxChainName[] = ['base', 'polygon', 'arbitrum'];

/** Pools of the real chains whose CREATE2 address is the same here, from published code and factory address. */
const mainnetPools: Record<SandboxChainName, readonly string[]> = {
  base: [
    '0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C', // Uniswap v2 WETH/USDC
    '0xd0b53D9277642d899DF5C87A3966A349A798F224', // Uniswap v3 0.05 %
    '0x6c561B446416E1A00E8E93E221854d6eA4171372', // Uniswap v3 0.3 %
    '0x72AB388E2E2F6FaceF59E3C3FA2C4E29011c2D38', // PancakeSwap v3 0.01 %
    '0xB775272E537cc670C65DC852908aD47015244EaF', // PancakeSwap v3 0.05 %
    '0xcDAC0d6c6C59727a65F871236188350531885C43', // Aerodrome volatile WETH/USDC
    '0x6cDcb1C4A4D1C3C6d054b27AC5B77e89eAFb971d', // Aerodrome volatile AERO/USDC
    '0xb2cc224c1c9feE385f8ad6a55b4d94E92359DC59', // Slipstream 1
    '0x4e962BB3889Bf030368F56810A9c96B83CB3E778', // Slipstream 1 cbBTC/USDC
    '0x79B84C8B5dD2af239EB2891E2Ef5653f21cbB9f9', // Slipstream 2
    '0xAd01C1D0da1acf09a71Ef6A29b30eF4d666F9305', // Slipstream 3
  ],
  polygon: [
    '0x45dDa9cb7c25131DF268515131f647d726f50608', // Uniswap v3 USDC.e/WETH 0.05 %
    '0x6e7a5FAFcec6BB1e78bAE2A1F0B612012BF14827', // QuickSwap v2 WPOL/USDC.e
  ],
  arbitrum: [
    '0xC6962004f452bE9203591991D15f6b388e09E8D0', // Uniswap v3 WETH/USDC 0.05 %
    '0xC31E54c7a869B9FcBEcc14363CF510d1c41fa443', // Uniswap v3 WETH/USDC.e 0.05 %
  ],
};

describe.each(names)('%s', (name) => {
  test('default: pools have the same addresses as on the real chain', () => {
    const pools = chainOf(sandbox, name).pools.map(({ pool }) => pool);
    expect(pools).toEqual(expect.arrayContaining([...mainnetPools[name]]));
  });

  test('default: USDC has its own EIP-712 domain name', async () => {
    const chain = chainOf(sandbox, name);
    const domain = {
      name: 'USD Coin (truefill sandbox)',
      version: '2',
      chainId: chain.chainId,
      verifyingContract: chain.usdc,
    };
    const abi = parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)']);
    expect(await readContract(chain, { to: chain.usdc, abi, name: 'DOMAIN_SEPARATOR' })).toBe(
      domainSeparator({ domain }),
    );
  });

  test('default: the demo wallet holds 10,000 USDC and some of every token', async () => {
    const chain = chainOf(sandbox, name);
    const { address } = walletOf(sandbox, 'demo');
    for (const token of chain.tokens.filter(({ symbol }) => symbol !== 'NOCODE')) {
      const balance = await readContract(chain, {
        to: token.address,
        abi: erc20Abi,
        name: 'balanceOf',
        args: [address],
      });
      if (token.symbol === 'USDC') expect(formatUnits(balance, 6)).toBe('10000');
      else expect(balance, token.symbol).toBeGreaterThan(0n);
    }
  });

  test('behavior: the stranger has no balance, the facilitator only native currency', async () => {
    const chain = chainOf(sandbox, name);
    const node = createNodeClient(chain.rpcUrl);
    const balanceOf = (role: 'stranger' | 'facilitator') =>
      readContract(chain, {
        to: chain.usdc,
        abi: erc20Abi,
        name: 'balanceOf',
        args: [walletOf(sandbox, role).address],
      });
    expect(await node.call('eth_getBalance', [walletOf(sandbox, 'stranger').address, 'latest'])).toBe('0x0');
    expect(await balanceOf('stranger')).toBe(0n);
    expect(await balanceOf('facilitator')).toBe(0n);
    expect(
      BigInt(await node.call<string>('eth_getBalance', [walletOf(sandbox, 'facilitator').address, 'latest'])),
    ).toBe(parseEther('1000'));
  });

  test('default: the ETH/USD feed is fresh and matches the market', async () => {
    const feeds = {
      base: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
      polygon: '0xF9680D99D6C9589e2a93a78A04A279e509205945',
      arbitrum: '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612',
    } as const;
    const abi = parseAbi([
      'function latestRoundData() view returns (uint80, int256 answer, uint256, uint256 updatedAt, uint80)',
      'function decimals() view returns (uint8)',
    ]);
    const chain = chainOf(sandbox, name);
    const [, answer, , updatedAt] = await readContract(chain, { to: feeds[name], abi, name: 'latestRoundData' });
    expect(await readContract(chain, { to: feeds[name], abi, name: 'decimals' })).toBe(8);
    expect(answer).toBe(parseUnits('3000', 8));
    expect(Math.abs(Number(updatedAt) - Date.now() / 1000)).toBeLessThan(60);
  });

  test('default: block timestamps follow the system clock', async () => {
    const node = createNodeClient(chainOf(sandbox, name).rpcUrl);
    const { timestamp } = await node.call<{ timestamp: `0x${string}` }>('eth_getBlockByNumber', ['latest', false]);
    expect(Math.abs(hexToNumber(timestamp) - Date.now() / 1000)).toBeLessThan(60);
  });

  test('behavior: the state of an earlier block is readable, as a pinned read requires', async () => {
    const chain = chainOf(sandbox, name);
    const node = createNodeClient(chain.rpcUrl);
    const pinned = await node.call('eth_blockNumber');
    for (let block = 0; block < 20; block++) await node.call('evm_mine');
    expect(await node.call('eth_call', [{ to: chain.usdc, data: '0x18160ddd' }, pinned])).not.toBe('0x');
  });
});

test('default: wrapped POL has its own name and symbol', async () => {
  const chain = chainOf(sandbox, 'polygon');
  const read = (name: 'name' | 'symbol') => readContract(chain, { to: chain.wrappedNative, abi: erc20Abi, name });
  expect(await read('name')).toBe('Wrapped Polygon Ecosystem Token');
  expect(await read('symbol')).toBe('WPOL');
});

test('default: ArbSys returns the block number on Arbitrum', async () => {
  const chain = chainOf(sandbox, 'arbitrum');
  const abi = parseAbi(['function arbBlockNumber() view returns (uint256)']);
  const returned = await readContract(chain, {
    to: '0x0000000000000000000000000000000000000064',
    abi,
    name: 'arbBlockNumber',
  });
  expect(returned).toBe(BigInt(await createNodeClient(chain.rpcUrl).call<string>('eth_blockNumber')));
});

test('default: the QuickSwap v4 factory on Base derives the real address of its WETH/USDC pool', async () => {
  const chain = chainOf(sandbox, 'base');
  const factory = '0xC5396866754799B9720125B104AE01d935Ab9C7b';
  const abi = parseAbi([
    'function computePoolAddress(address, address) view returns (address)',
    'function poolByPair(address, address) view returns (address)',
  ]);
  const computed = await readContract(chain, {
    to: factory,
    abi,
    name: 'computePoolAddress',
    args: [chain.wrappedNative, chain.usdc],
  });
  expect(computed).toBe('0x5a9Ad2BB92B0B3E5C571FDD5125114E04E02be1a');
  const own = chain.pools.filter(({ venue }) => venue === 'quickswap-v4');
  expect(own.length).toBeGreaterThan(1);
  for (const { token0, token1, pool } of own) {
    const args = [token0, token1] as const;
    expect(await readContract(chain, { to: factory, abi, name: 'computePoolAddress', args })).toBe(pool);
    expect(await readContract(chain, { to: factory, abi, name: 'poolByPair', args })).toBe(pool);
  }
});

test('behavior: tokens with unusual metadata behave as their description states', async () => {
  const chain = chainOf(sandbox, 'base');
  const node = createNodeClient(chain.rpcUrl);
  const call = (symbol: string, data: string) =>
    node.call<string>('eth_call', [{ to: tokenOf(chain, symbol).address, data }, 'latest']);
  const [decimals, symbol] = ['0x313ce567', '0x95d89b41'];
  await expect(call('NODEC', decimals)).rejects.toThrow(/revert/);
  expect((await call('OLD32', symbol)).length).toBe(66);
  expect((await call('LONG', symbol)).length).toBeGreaterThan(200_000);
  expect(await call('NOCODE', decimals)).toBe('0x');
});
