import { type Address, parseAbi, zeroAddress } from 'viem';
import type { SandboxChain, SandboxChainName, SandboxPool } from '../sandboxTypes.ts';
import { askContract } from './askContract.ts';

const poolAbi = parseAbi([
  'function fee() view returns (uint24)',
  'function tickSpacing() view returns (int24)',
  'function factory() view returns (address)',
  'function stable() view returns (bool)',
]);
const v2Abi = parseAbi(['function getAmountsOut(uint256, address[]) view returns (uint256[])']);
const v3Abi = parseAbi([
  'struct Question { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 limit; }',
  'function quoteExactInputSingle(Question) returns (uint256, uint160, uint32, uint256)',
]);
const slipstreamAbi = parseAbi([
  'struct Question { address tokenIn; address tokenOut; uint256 amountIn; int24 tickSpacing; uint160 limit; }',
  'function quoteExactInputSingle(Question) returns (uint256, uint160, uint32, uint256)',
]);
const v4Abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Question { PoolKey key; bool zeroForOne; uint128 amount; bytes hookData; }',
  'function quoteExactInputSingle(Question) returns (uint256, uint256)',
]);
const algebraAbi = parseAbi([
  'function quoteExactInputSingle(address, address, uint256, uint160) returns (uint256, uint16)',
]);
const aerodromeAbi = parseAbi([
  'struct Route { address from; address to; bool stable; address factory; }',
  'function getAmountsOut(uint256, Route[]) view returns (uint256[])',
]);

/** Quoters and routers as their teams published them, by venue and chain. */
const quoters: Record<string, Partial<Record<SandboxChainName, Address>>> = {
  'uniswap-v2': {
    base: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    polygon: '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
    arbitrum: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
  },
  'sushiswap-v2': {
    base: '0x6BDED42c6DA8FBf0d2bA55B2fa120C5e0c8D7891',
    polygon: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
    arbitrum: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
  },
  'quickswap-v2': { polygon: '0xa5E0829CaCEd8fFDD4De3c43696c57F7D7A678ff' },
  'uniswap-v3': {
    base: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
    polygon: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
    arbitrum: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
  },
  'sushiswap-v3': {
    base: '0xb1E835Dc2785b52265711e17fCCb0fd018226a6e',
    polygon: '0xb1E835Dc2785b52265711e17fCCb0fd018226a6e',
    arbitrum: '0x0524E833cCD057e4d7A296e3aaAb9f7675964Ce1',
  },
  'uniswap-v4': {
    base: '0x0d5e0F971ED27FBfF6c2837bf31316121532048D',
    polygon: '0xb3d5c3Dfc3a7aEbFF71895A7191796BFfC2c81b9',
    arbitrum: '0x3972C00f7ed4885e145823eb7C655375d275A1C5',
  },
  'quickswap-v3': { polygon: '0xa15F0D7377B2A0C0c10db057f641beD21028FC89' },
  'camelot-v3': { arbitrum: '0x0Fc73040b26E9bC8514fA028D998E73A254Fa76E' },
  aerodrome: { base: '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43' },
};

const slipstreamQuoters: Record<Address, Address> = {
  '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A': '0x254cF9E1E6e233aa1AC962CB9B05b2cfeAaE15b0',
  '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a': '0x3d4C22254F86f64B7eC90ab8F7aeC1FBFD271c6C',
  '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef': '0x86D33DCbEC9c75897c6Ce521f33CF84009c4272e',
};

/** What the venue's own published quoter or router says a pool pays; undefined where no package holds one. */
export async function askPublishedQuoter(
  chain: SandboxChain,
  pool: SandboxPool,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
): Promise<bigint | undefined> {
  const ask = (name: 'fee' | 'tickSpacing' | 'stable' | 'factory') =>
    askContract(chain, { to: pool.pool, abi: poolAbi, name }) as Promise<never>;
  if (pool.venue === 'aerodrome-slipstream') {
    const to = slipstreamQuoters[await ask('factory')];
    if (!to) throw new TypeError(`${pool.pool} is of no known factory.`);
    const question = { tokenIn, tokenOut, amountIn, tickSpacing: await ask('tickSpacing'), limit: 0n };
    return (await askContract(chain, { to, abi: slipstreamAbi, name: 'quoteExactInputSingle', args: [question] }))[0];
  }
  const to = quoters[pool.venue]?.[chain.name];
  if (!to) return undefined;
  switch (pool.venue) {
    case 'uniswap-v3':
    case 'sushiswap-v3': {
      const question = { tokenIn, tokenOut, amountIn, fee: await ask('fee'), limit: 0n };
      return (await askContract(chain, { to, abi: v3Abi, name: 'quoteExactInputSingle', args: [question] }))[0];
    }
    case 'uniswap-v4': {
      const currencyIn = tokenIn === chain.wrappedNative && pool.key?.currency0 === zeroAddress ? zeroAddress : tokenIn;
      const zeroForOne = currencyIn === pool.key?.currency0;
      const question = { key: pool.key, zeroForOne, amount: amountIn, hookData: '0x' };
      return (await askContract(chain, { to, abi: v4Abi, name: 'quoteExactInputSingle', args: [question] }))[0];
    }
    case 'quickswap-v3':
    case 'camelot-v3': {
      const args = [tokenIn, tokenOut, amountIn, 0n];
      return (await askContract(chain, { to, abi: algebraAbi, name: 'quoteExactInputSingle', args }))[0];
    }
    case 'aerodrome': {
      const route = { from: tokenIn, to: tokenOut, stable: await ask('stable'), factory: zeroAddress };
      return (await askContract(chain, { to, abi: aerodromeAbi, name: 'getAmountsOut', args: [amountIn, [route]] }))[1];
    }
    default: {
      const args = [amountIn, [tokenIn, tokenOut]];
      return (await askContract(chain, { to, abi: v2Abi, name: 'getAmountsOut', args }))[1];
    }
  }
}
