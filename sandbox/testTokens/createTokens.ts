import { type Abi, type Address, encodeDeployData, getContractAddress, type Hex, parseUnits } from 'viem';
import { derivedAddress } from '../placement/derivedAddress.ts';
import type { Transaction } from './sendTransactions.ts';
import type { TokenDefinition, TokenDeployer } from './testTokenTypes.ts';

/** Deploys and owns every test token. Seeds of addresses keep their old wording, so that the addresses stay. */
export const keeperAddress = derivedAddress('zoo keeper');
/** Stands behind hidden owners. */
export const insiderAddress = derivedAddress('zoo backstage');

const wholeSupply = '1000000';
const noFactory: Address = '0x0000000000000000000000000000000000000000';

export interface CreatedToken {
  definition: TokenDefinition;
  address: Address;
  decimals: number;
  supply: bigint;
}

export interface TokenCreation {
  created: CreatedToken[];
  /** The keeper's transactions, in order, from the nonce that was given. */
  transactions: Transaction[];
  /** To be made once all pools are filled. */
  afterwards: Transaction[];
}

interface Deployment {
  router: Address;
  factory: Address;
  wrappedNative: Address;
  nonce: number;
}

/**
 * Queues the transactions that create the tokens. Addresses are known before sending, because they derive from the
 * keeper's nonce.
 */
export function createTokens(
  tokens: readonly TokenDefinition[],
  { router, factory, wrappedNative, nonce }: Deployment,
): TokenCreation {
  const transactions: Transaction[] = [];
  const afterwards: Transaction[] = [];
  const createRaw = (data: Hex) => {
    const address = getContractAddress({ from: keeperAddress, nonce: BigInt(nonce + transactions.length) });
    transactions.push({ data });
    return address;
  };
  const created = tokens.map((token) => {
    const { symbol, spelled = symbol, name = `Test ${symbol}`, decimals = 18 } = token;
    const supply = parseUnits(wholeSupply, decimals);
    const deployer: TokenDeployer = {
      keeper: keeperAddress,
      insider: insiderAddress,
      router,
      params: (withPair = true) => ({
        name,
        symbol: spelled,
        decimals,
        supply,
        factory: withPair ? factory : noFactory,
        counter: wrappedNative,
      }),
      create: ({ abi, bytecode }, args = []) => createRaw(encodeDeployData({ abi: abi as Abi, bytecode, args })),
      createRaw,
      call: (to, data) => transactions.push({ to, data }),
      afterwards: (to, data) => afterwards.push({ to, data }),
    };
    return { definition: token, address: token.deploy(deployer), decimals, supply };
  });
  return { created, transactions, afterwards };
}
