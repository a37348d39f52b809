import { type Abi, type Address, encodeDeployData, getContractAddress, type Hex, parseUnits } from 'viem';
import { derivedAccount, derivedAddress } from '../placement/derivedAddress.ts';
import type { Transaction } from './sendTransactions.ts';
import type { TokenDefinition, TokenDeployer } from './testTokenTypes.ts';

/** The account that deploys and owns every test token. Its seed is fixed, because addresses derive from it. */
export const deployerAccount = derivedAccount('zoo keeper');
export const deployerAddress = deployerAccount.address;
/** The account of hidden owners. */
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
  /** The deployer's transactions, in order of their nonces from `nonce` on. */
  transactions: Transaction[];
  /** The deployer's transactions to send after all pools are filled. */
  afterwards: Transaction[];
}

interface Deployment {
  router: Address;
  factory: Address;
  wrappedNative: Address;
  nonce: number;
}

/**
 * Builds the transactions that create the tokens. The addresses are known in advance, because they derive from the
 * deployer's nonce.
 */
export function createTokens(
  tokens: readonly TokenDefinition[],
  { router, factory, wrappedNative, nonce }: Deployment,
): TokenCreation {
  const transactions: Transaction[] = [];
  const afterwards: Transaction[] = [];
  const createRaw = (data: Hex) => {
    const address = getContractAddress({ from: deployerAddress, nonce: BigInt(nonce + transactions.length) });
    transactions.push({ data });
    return address;
  };
  const created = tokens.map((token) => {
    const { symbol, spelled = symbol, name = `Test ${symbol}`, decimals = 18 } = token;
    const supply = parseUnits(wholeSupply, decimals);
    const deployer: TokenDeployer = {
      owner: deployerAddress,
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
