import { getAddress } from 'viem';
import type { ChainName, RoutingAsset } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Finding, judgeOf } from './verifyTypes.ts';

/**
 * Tokens whose symbol on chain differs from the usual one. Circle calls bridged USDC on Arbitrum USDC.e; USDT became USDT0
 * on Arbitrum (January 2025) and on Polygon (autumn 2025) at the old addresses; WPOL was WMATIC.
 */
const symbolsOnChain: Partial<Record<ChainName, Record<string, readonly string[]>>> = {
  arbitrum: { 'USDC.e': ['USDC'], USDT: ['USD₮0', 'USDT0'] },
  polygon: { 'USDC.e': ['USDC'], USDT: ['USDT0', 'USD₮0'], WPOL: ['WMATIC'] },
};

/** Whether a base asset's contract returns the decimals and symbol of our data. */
export async function verifyToken(reader: ChainReader, chain: ChainName, base: RoutingAsset): Promise<Finding> {
  const judge = judgeOf(`${base.symbol} ${getAddress(base.address)}`);
  const [code, decimals, symbol] = await Promise.all([
    reader.hasCode(base.address),
    reader.call<number>(base.address, 'decimals() view returns (uint8)'),
    reader.call<string>(base.address, 'symbol() view returns (string)'),
  ]);
  if (code.status !== 'answered') return judge('token', 'unread', code.why);
  if (!code.value) return judge('token', 'missing', 'no code');
  for (const answer of [decimals, symbol]) {
    if (answer.status === 'unread') return judge('token', 'unread', answer.why);
    if (answer.status === 'refused') return judge('token', 'differs', answer.why);
  }
  if (decimals.status !== 'answered' || symbol.status !== 'answered') return judge('token', 'unread');
  if (decimals.value !== base.decimals)
    return judge('token', 'differs', `${decimals.value} decimals, not ${base.decimals}`);
  const symbols = [base.symbol, ...(symbolsOnChain[chain]?.[base.symbol] ?? [])];
  if (!symbols.includes(symbol.value)) return judge('token', 'differs', `calls itself ${JSON.stringify(symbol.value)}`);
  return judge('token', 'ok', `${symbol.value}, ${decimals.value} decimals`);
}
