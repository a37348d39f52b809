import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, encodeDeployData, getAddress, keccak256, toHex } from 'viem';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { makerAddress, type OpenChain, type SandboxChain, type TokenPlan } from '../../sandbox/index.ts';

function plan(symbol: string): TokenPlan {
  const address = getAddress(`0x${keccak256(toHex(`truefill bench: ${symbol}`)).slice(-40)}`);
  const { abi, bytecode } = honestTokenArtifact;
  const creation = encodeDeployData({ abi, bytecode, args: [symbol, symbol, 18, makerAddress, 10n ** 30n] });
  return { symbol, usd: 2, decimals: 18, about: symbol, address, placement: { address, creation } };
}

/** Lists a popular token whose pools all trade against a token that is no routing asset: only logs contain them. */
export async function openPopular(
  builder: OpenChain,
): Promise<{ chain: SandboxChain; token: Address; pools: string[] }> {
  const [popular, middle] = [plan('POPULAR'), plan('MIDDLE')];
  const chain = await builder.list({
    tokens: [popular, middle],
    pools: [
      { venue: 'uniswap-v2', pair: ['POPULAR', 'MIDDLE'], usd: 40_000 },
      { venue: 'uniswap-v3', pair: ['POPULAR', 'MIDDLE'], usd: 60_000, tier: 3000 },
      { venue: 'aerodrome', pair: ['POPULAR', 'MIDDLE'], usd: 30_000 },
      { venue: 'uniswap-v3', pair: ['MIDDLE', 'USDC'], usd: 400_000, tier: 3000 },
    ],
  });
  const token = popular.address as Address;
  const pools = chain.pools.filter(({ token0, token1 }) => [token0, token1].includes(token)).map(({ pool }) => pool);
  return { chain, token, pools };
}

/** Vendors on loopback: GeckoTerminal and DEX Screener list these pools after `delayMs`, 1.2 kB each. */
export async function startVendors(token: Address, pools: readonly string[], delayMs: number) {
  const traffic = { requests: 0, bytes: 0 };
  const about = 'x'.repeat(1_000);
  const server = createServer(async (request, response) => {
    await sleep(delayMs);
    const other = { address: makerAddress };
    const body = JSON.stringify(
      request.url?.startsWith('/api/')
        ? { data: pools.map((address) => ({ type: 'pool', attributes: { address, about } })) }
        : pools.map((pairAddress) => ({
            chainId: 'base',
            pairAddress,
            baseToken: { address: token },
            quoteToken: other,
            liquidity: { usd: 1_000 },
            about,
          })),
    );
    traffic.requests += 1;
    traffic.bytes += body.length;
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, traffic, close: () => server.close() };
}
