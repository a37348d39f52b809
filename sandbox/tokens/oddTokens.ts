import type { Address } from 'viem';
import { bytes32SymbolTokenArtifact } from '../../contracts/artifacts/sandbox/Bytes32SymbolToken.ts';
import { longSymbolTokenArtifact } from '../../contracts/artifacts/sandbox/LongSymbolToken.ts';
import { noDecimalsTokenArtifact } from '../../contracts/artifacts/sandbox/NoDecimalsToken.ts';
import type { PoolPlan, TokenPlan } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';

const stock = 10n ** 30n;

/** Tokens with unusual metadata; their transfers are standard. */
export function oddTokens(maker: Address): TokenPlan[] {
  const odd = (symbol: string, about: string, contract: { abi: unknown; bytecode: `0x${string}` }): TokenPlan => {
    const address = derivedAddress(symbol);
    return {
      symbol,
      address,
      decimals: 18,
      usd: 1,
      about,
      placement: { address, creation: creationCode(contract, [maker, stock]) },
    };
  };
  return [
    odd('NODEC', 'decimals() reverts; amounts have 18 decimals. Has a Uniswap v2 pool.', noDecimalsTokenArtifact),
    odd(
      'OLD32',
      'symbol() returns bytes32, as in the oldest tokens. Has a Uniswap v2 pool.',
      bytes32SymbolTokenArtifact,
    ),
    odd('LONG', 'symbol() returns 100,000 bytes. Has a Uniswap v2 pool.', longSymbolTokenArtifact),
    {
      symbol: 'NOCODE',
      address: derivedAddress('NOCODE'),
      decimals: 18,
      usd: 1,
      about: 'An address without code, which is not a token.',
    },
  ];
}

export const oddPools: readonly PoolPlan[] = ['NODEC', 'OLD32', 'LONG'].map((symbol) => ({
  venue: 'uniswap-v2',
  pair: [symbol, 'USDC'],
  usd: 100_000,
}));
