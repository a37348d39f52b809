import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex, isAddressEqual } from 'viem';
import type { QuoteRequest } from '../../engine/index.ts';
import type { SandboxChain, SandboxPool, SandboxToken } from '../../sandbox/index.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { sizeBetween, toDecimal, tradedTokens } from './market.ts';

/** A generated query with its tokens and the amount in base units. */
export interface QuoteCase {
  query: QuoteRequest;
  tokenIn: SandboxToken;
  tokenOut: SandboxToken;
  /** Base units of tokenIn; undefined for a size in USD. */
  amountIn: bigint | undefined;
  /** The size has digits beyond the token's decimals. */
  finer: boolean;
}

/** A trader's balances in base units; 0 for an address without code. */
export async function readHoldings(chain: SandboxChain, holder: Address): Promise<Map<Address, bigint>> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
  const replies = await loopbackEndpoint(chain.rpcUrl).send(
    chain.tokens.map(({ address }) => ({ method: 'eth_call', params: [{ to: address, data }, 'latest'] })),
    { signal: AbortSignal.timeout(20_000) },
  );
  return new Map(
    chain.tokens.map(({ address }, index) => {
      const reply = replies[index];
      if (!reply || !('result' in reply)) throw new Error(`balanceOf ${address}: ${JSON.stringify(reply)}`);
      const data = reply.result as Hex;
      return [address, data === '0x' ? 0n : decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data })];
    }),
  );
}

/** Sizes in US dollars, a cent to ten million. */
const usdSizes = { least: 0.01, decades: 9 };

/**
 * A deterministic sequence of queries. Half of them go through the pools in order, so that every venue is covered; a
 * quarter have the pair of a random pool, a quarter any two tokens, most of which share no pool. 75 % of the sizes lie at
 * most nine decades below the trader's balance, 15 % are any smaller size, 10 % are edge cases such as one unit.
 */
export function createCases(
  chain: SandboxChain,
  holdings: ReadonlyMap<Address, bigint>,
  random: () => number,
  usdShare = 0.1,
): () => QuoteCase {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const tokenAt = (address: Address) =>
    chain.tokens.find((token) => isAddressEqual(token.address, address)) as SandboxToken;
  const pairOf = (pool: SandboxPool) => {
    const [first, second] = tradedTokens(chain, pool).map(tokenAt) as [SandboxToken, SandboxToken];
    return random() < 0.5 ? [first, second] : [second, first];
  };
  const anyPair = () => {
    const first = pick(chain.tokens);
    return [first, pick(chain.tokens.filter((token) => token !== first))];
  };

  const sizeOf = ({ address, decimals }: SandboxToken): Pick<QuoteCase, 'amountIn' | 'finer'> & { text: string } => {
    const most = ((holdings.get(address) ?? 0n) * 9n) / 10n || 10n ** BigInt(decimals);
    const kind = random();
    const nineDecades = sizeBetween(10n ** 9n, random);
    const drawn =
      kind < 0.75
        ? (most * nineDecades) / 10n ** 9n
        : kind < 0.9
          ? sizeBetween(most, random)
          : pick([1n, 2n, 3n, 7n, 10n, 1_000_003n, 10n ** BigInt(decimals), most]);
    const amountIn = drawn > most || drawn === 0n ? most : drawn;
    const text = toDecimal(amountIn, decimals);
    if (random() > 0.05) return { amountIn, finer: false, text };
    return { amountIn, finer: true, text: beyondDecimals(text, decimals) };
  };

  let turn = 0;
  let poolIndex = 0;
  const nextPool = () => chain.pools[poolIndex++ % chain.pools.length] as SandboxPool;
  return () => {
    turn += 1;
    const kind = turn % 4;
    const [tokenIn, tokenOut] = (
      kind < 2 ? pairOf(nextPool()) : kind === 2 ? pairOf(pick(chain.pools)) : anyPair()
    ) as [SandboxToken, SandboxToken];
    const addresses = { tokenIn: tokenIn.address, tokenOut: tokenOut.address };
    if (random() < usdShare) {
      const usd = (usdSizes.least * 10 ** (random() * usdSizes.decades)).toFixed(2);
      const query = { chain: chain.name, ...addresses, size: { usd } };
      return { query, tokenIn, tokenOut, amountIn: undefined, finer: false };
    }
    const { text, ...size } = sizeOf(tokenIn);
    return { query: { chain: chain.name, ...addresses, size: { tokenIn: text } }, tokenIn, tokenOut, ...size };
  };
}

/** The same decimal with digits beyond the token's decimals. */
function beyondDecimals(text: string, decimals: number): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(decimals, '0')}07`;
}
