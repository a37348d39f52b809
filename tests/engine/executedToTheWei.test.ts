import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ExecutableLeg,
  executeRoute,
  type Sandbox,
  type SandboxChain,
  type SandboxChainName,
  type SandboxWallet,
  startSandbox,
  TransactionRevertedError,
} from '../../sandbox/index.ts';
import {
  andPutBack,
  type EngineOnChain,
  engineOn,
  poolsOfPair,
  seeded,
  sizeBetween,
  toDecimal,
  tradedTokens,
} from './market.ts';

/** The truth: what one transaction through the route pays, or undefined when it cannot be made. */
async function executed(
  chain: SandboxChain,
  legs: readonly ExecutableLeg[],
  amountIn: bigint,
  wallet: SandboxWallet,
): Promise<{ received: bigint; spent: bigint } | undefined> {
  return andPutBack(chain, () =>
    executeRoute(chain, { legs, amountIn, wallet }).catch((error: unknown) => {
      if (error instanceof TransactionRevertedError) return undefined;
      throw error;
    }),
  );
}

async function balanceOf(chain: SandboxChain, token: Address, holder: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: token, data }, 'latest'] };
  const response = await fetch(chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { result } = (await response.json()) as { result: Hex };
  return result === '0x' ? 0n : hexToBigInt(result);
}

const casesPerPool: Record<SandboxChainName, number> = { base: 8, polygon: 6, arbitrum: 6 };

describe.each(['base', 'polygon', 'arbitrum'] as const)('%s', (name) => {
  let sandbox: Sandbox;
  let chain: SandboxChain;
  let asked: EngineOnChain;
  let trader: SandboxWallet;

  beforeAll(async () => {
    sandbox = await startSandbox({ chains: [name] });
    chain = sandbox.chains[name] as SandboxChain;
    asked = engineOn(chain);
    await asked.engine.start();
    trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  });
  afterAll(() => sandbox?.close());

  test('default: the block is the chain’s own latest, also where block.number is another chain’s', async () => {
    const [token] = chain.tokens.filter(({ address }) => address !== chain.usdc);
    const [reply] = await asked.endpoint.send([{ method: 'eth_blockNumber', params: [] }], {
      signal: AbortSignal.timeout(10_000),
    });
    const size = { tokenIn: '1' };
    const quote = await asked.engine.quote({
      chain: name,
      tokenIn: chain.usdc,
      tokenOut: token?.address ?? chain.wrappedNative,
      size,
    });
    expect(reply).toEqual({ result: `0x${quote.blockNumber.toString(16)}` });
  });

  test('default: amountOut is what the route pays, to the wei, and no single pool pays more', async () => {
    const random = seeded(20_261_121);
    const families = new Set<string>();
    const seen = { cases: 0, routed: 0, twoLegs: 0, noRoute: 0 };
    const faults: string[] = [];
    for (const pool of chain.pools) {
      const tokens = tradedTokens(chain, pool);
      for (let index = 0; index < casesPerPool[name]; index++) {
        const [tokenIn, tokenOut] = index % 2 ? tokens : ([...tokens].reverse() as [Address, Address]);
        const decimals = chain.tokens.find(({ address }) => address.toLowerCase() === tokenIn.toLowerCase())?.decimals;
        const balance = await balanceOf(chain, tokenIn, trader.address);
        if (decimals === undefined || balance === 0n) continue;
        const amountIn = sizeBetween(balance, random);
        const size = { tokenIn: toDecimal(amountIn, decimals) };
        const quote = await asked.engine.quote({ chain: name, tokenIn, tokenOut, size });
        const about = `${pool.venue} ${amountIn} ${tokenIn} -> ${tokenOut}`;
        seen.cases += 1;
        if (quote.flags.some(({ code }) => code === 'NOT_A_TOKEN')) continue;
        if (quote.amountIn !== amountIn) faults.push(`${about}: priced ${quote.amountIn}`);
        if (quote.route.legs.length === 0) seen.noRoute += 1;
        else {
          seen.routed += 1;
          if (quote.route.legs.length === 2) seen.twoLegs += 1;
          for (const { dex } of quote.route.legs) families.add(dex);
          const truth = await executed(chain, quote.route.legs, amountIn, trader);
          if (truth?.received !== quote.amountOut || truth.spent !== amountIn) {
            const route = quote.route.legs.map((leg) => `${leg.venue} ${leg.pool}`).join(' / ');
            faults.push(`${about}: quoted ${quote.amountOut}, paid ${truth?.received} for ${truth?.spent} by ${route}`);
          }
        }
        if (index > 0) continue;
        for (const other of poolsOfPair(chain, tokenIn, tokenOut)) {
          const leg = { venue: other.venue, pool: other.pool, tokenIn, tokenOut };
          const truth = await executed(chain, [leg], amountIn, trader);
          if (truth && truth.spent === amountIn && truth.received > quote.amountOut) {
            faults.push(`${about}: quoted ${quote.amountOut}, ${other.venue} ${other.pool} pays ${truth.received}`);
          }
        }
      }
    }
    console.log(name, seen, [...families]);
    expect(faults).toEqual([]);
    expect(seen.cases).toBeGreaterThan(50);
    expect(seen.twoLegs).toBeGreaterThan(0);
  }, 300_000);
});
