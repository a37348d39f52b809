import { type ChainName, chainNames, deployments } from '../../engine/index.ts';

/**
 * Contracts that never pay out what is sent to them: routers (sources: `client/trade/routers.ts`; a test compares the
 * two) and contracts with one address on every chain.
 */
const routersAndTools = [
  '0x000000000022D473030F116dDEE9F6B43aC78BA3',
  '0x1b81D678ffb9C0263b24A97847620C99d213eB14',
  '0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb',
  '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
  '0x4200000000000000000000000000000000000006',
  '0x498581fF718922c3f8e6A244956aF099B2652b2b',
  '0x6fF5693b99212Da76ad316178A184AB56D299b43',
  '0x6BDED42c6DA8FBf0d2bA55B2fa120C5e0c8D7891',
  '0xFB7eF66a7e61224DD6FcD0D7d9C3be5C8B049b9f',
  '0xe6c9bb24ddB4aE5c6632dbE0DE14e3E474c6Cb04',
  '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43',
  '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
  '0xA4e46b4f701c62e14DF11B48dCe76A7d793CD6d7',
  '0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5',
  '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
  '0xeC8E5342B19977B4eF8892e02D8DAEcfa1315831',
  '0xcbBb8035cAc7D4B3Ca7aBb74cF7BdF900215Ce0D',
  '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
  '0x942e97a4c6FdC38B4CD1c0298D37d81fDD8E5A16',
  '0x698Cb2b6dd822994581fEa6eA4Fc755d1363A92F',
  '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef',
  '0xc770898522D2A9c8Da7A10D63989b6b58305B665',
  '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  '0x67366782805870060151383F4BbFF9daB53e5cD6',
  '0x1095692A6237d83C6a72F3F5eFEdb9A670C49223',
  '0xa5E0829CaCEd8fFDD4De3c43696c57F7D7A678ff',
  '0xf5b509bB0909a69B1c207E495f687a596C168E12',
  '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
  '0x0aF89E1620b96170e2a9D0b68fEebb767eD044c3',
  '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
  '0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3',
  '0x1F721E2E82F6676FCE4eA07A5958cF098D339e18',
  '0x8A21F6768C1f8075791D08546Dadf6daA0bE820c',
  '0xcA11bde05977b3631167028862bE2a173976CA11', // Multicall3
  '0x4e59b44847b379578588920cA78FbF26c0B4956C', // deterministic deployment proxy
  '0x111111125421cA6dc452d289314280a0f8842A65', // 1inch router v6
].map((address) => address.toLowerCase());

/** Programs and mints of Solana that are not wallets. */
const solanaPrograms = new Set([
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'ComputeBudget111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'So11111111111111111111111111111111111111112',
]);

/** Addresses in the deployments of a chain: tokens, factories, managers, feeds. */
const addressesOf = (chain: ChainName): string[] =>
  JSON.stringify(deployments[chain], (_key, value) => (typeof value === 'bigint' ? String(value) : value))
    .toLowerCase()
    .match(/0x[0-9a-f]{40}(?![0-9a-f])/g) ?? [];

/** What a payee on the EVM chains is, if it is not a wallet; undefined if it is not known. */
export function findKnownContract(address: string): string | undefined {
  const lower = address.toLowerCase();
  const usdcOn = chainNames.find((chain) => deployments[chain].usdc.toLowerCase() === lower);
  if (usdcOn) return `the USDC contract on ${deployments[usdcOn].label}`;
  const chain = chainNames.find((name) => addressesOf(name).includes(lower));
  if (chain) return `a token or venue contract on ${deployments[chain].label}`;
  return routersAndTools.includes(lower) ? 'a known router or utility contract' : undefined;
}

/** Whether a Solana address is a program or a mint. */
export const isSolanaProgram = (address: string): boolean => solanaPrograms.has(address);
