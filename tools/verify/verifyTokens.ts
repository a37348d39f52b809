import { getAddress } from 'viem';
import type { ChainName, RoutingAsset } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Finding, findingFor } from './verifyTypes.ts';

/**
 * Symbols on chain that differ from ours. Bridged USDC, which Circle calls USDC.e, has the symbol USDC. USDT became
 * USDT0 at the same address on Arbitrum (January 2025) and Polygon (autumn 2025). WPOL was WMATIC.
 */
const symbolsOnChain: Partial<Record<ChainName, Record<string, readonly string[]>>> = {
  arbitrum: { 'USDC.e': ['USDC'], USDT: ['USD₮0', 'USDT0'] },
  polygon: { 'USDC.e': ['USDC'], USDT: ['USDT0', 'USD₮0'], WPOL: ['WMATIC'] },
};

/** Compares a routing asset's decimals and symbol with its contract. */
export async function verifyToken(reader: ChainReader, chain: ChainName, asset: RoutingAsset): Promise<Finding> {
  const finding = findingFor(`${asset.symbol} ${getAddress(asset.address)}`);
  const [code, decimals, symbol] = await Promise.all([
    reader.hasCode(asset.address),
    reader.call<number>(asset.address, 'decimals() view returns (uint8)'),
    reader.call<string>(asset.address, 'symbol() view returns (string)'),
  ]);
  if (code.status !== 'answered') return finding('token', 'unread', code.why);
  if (!code.value) return finding('token', 'missing', 'no code');
  for (const answer of [decimals, symbol]) {
    if (answer.status === 'unread') return finding('token', 'unread', answer.why);
    if (answer.status === 'refused') return finding('token', 'differs', answer.why);
  }
  if (decimals.status !== 'answered' || symbol.status !== 'answered') return finding('token', 'unread');
  if (decimals.value !== asset.decimals)
    return finding('token', 'differs', `${decimals.value} decimals, not ${asset.decimals}`);
  const symbols = [asset.symbol, ...(symbolsOnChain[chain]?.[asset.symbol] ?? [])];
  if (!symbols.includes(symbol.value)) return finding('token', 'differs', `symbol is ${JSON.stringify(symbol.value)}`);
  return finding('token', 'ok', `${symbol.value}, ${decimals.value} decimals`);
}
