import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  parseAbiParameters,
  stringToHex,
} from 'viem';
import { activationRegistryArtifact } from '../../contracts/artifacts/testTokens/ActivationRegistry.ts';
import { b20FactoryArtifact } from '../../contracts/artifacts/testTokens/B20Factory.ts';
import { b20TokenArtifact } from '../../contracts/artifacts/testTokens/B20Token.ts';
import { policyRegistryArtifact } from '../../contracts/artifacts/testTokens/PolicyRegistry.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import type { NodeClient } from '../rpc/nodeClient.ts';

const factory: Address = '0xB20f000000000000000000000000000000000000';
const policyRegistry: Address = '0x8453000000000000000000000000000000000002';
const activationRegistry: Address = '0x8453000000000000000000000000000000000001';

/** Published ids of the features, which the stand-ins require as the chain does. */
const features = ['base.b20_asset', 'base.b20_stablecoin', 'base.policy_registry'];
const tokenCode = derivedAddress('b20 token code');

/** A call, sent by an account that the node has unlocked. */
export interface B20Transaction {
  from: Address;
  to: Address;
  data: Hex;
}

/** A B20 token to create. */
export interface B20Creation {
  variant: 'asset' | 'stablecoin';
  name: string;
  admin: Address;
  decimals: number;
  /** Calls that the factory sends during creation, with the rights of every role. */
  initCalls: readonly Hex[];
}

export const b20 = {
  factory,
  policyRegistry,
  activationRegistry,
  abi: b20TokenArtifact.abi,
  registryAbi: policyRegistryArtifact.abi,
};

/** The code of an EIP-7702 delegation. Like a B20 token's, it starts with `0xef`, and it executes other code. */
const delegationTo = (code: Address): Hex => `0xef0100${code.slice(2).toLowerCase()}`;

/** Sends a transaction and mines a block. @throws {Error} it fails */
export async function sendB20(node: NodeClient, { from, to, data }: B20Transaction): Promise<void> {
  const hash = await node.call<Hex>('eth_sendTransaction', [{ from, to, data, gas: '0x989680' }]);
  await node.call('evm_mine');
  const receipt = await node.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]);
  if (receipt?.status !== '0x1') throw new Error(`The call ${data.slice(0, 10)} to ${to} by ${from} failed.`);
}

/** Places the stand-ins of factory and registries at their addresses on Base, and turns every feature on. */
export async function installB20(node: NodeClient, admin: Address): Promise<void> {
  const codes: [string, Address, Hex][] = [
    ['factory', factory, b20FactoryArtifact.runtime],
    ['policies', policyRegistry, policyRegistryArtifact.runtime],
    ['activations', activationRegistry, activationRegistryArtifact.runtime],
  ];
  await node.batch([
    { method: 'anvil_setCode', params: [tokenCode, b20TokenArtifact.runtime] },
    ...codes.flatMap(([name, address, runtime]) => {
      const code = derivedAddress(`b20 ${name} code`);
      return [
        { method: 'anvil_setCode', params: [code, runtime] },
        { method: 'anvil_setCode', params: [address, delegationTo(code)] },
      ];
    }),
  ]);
  const { abi } = activationRegistryArtifact;
  const calls = [
    encodeFunctionData({ abi, functionName: 'setUp', args: [admin] }),
    ...features.map((name) =>
      encodeFunctionData({ abi, functionName: 'activate', args: [keccak256(stringToHex(name))] }),
    ),
  ];
  for (const data of calls) await sendB20(node, { from: admin, to: activationRegistry, data });
}

const assetParams = parseAbiParameters('(uint8, string, string, address, uint8)');
const stablecoinParams = parseAbiParameters('(uint8, string, string, address, string)');

/** The address that `createB20` gives a token of this sender. */
export async function b20AddressOf(
  node: NodeClient,
  sender: Address,
  { variant, name }: Pick<B20Creation, 'variant' | 'name'>,
): Promise<Address> {
  const data = encodeFunctionData({
    abi: b20FactoryArtifact.abi,
    functionName: 'getB20Address',
    args: [variant === 'asset' ? 0 : 1, sender, keccak256(stringToHex(name))],
  });
  const word = await node.call<Hex>('eth_call', [{ to: factory, data }, 'latest']);
  return getAddress(`0x${word.slice(-40)}`);
}

/** Creates a token through the factory. Returns its address. */
export async function createB20(node: NodeClient, sender: Address, creation: B20Creation): Promise<Address> {
  const { variant, name, admin, decimals, initCalls } = creation;
  const address = await b20AddressOf(node, sender, creation);
  await node.call('anvil_setCode', [address, delegationTo(tokenCode)]);
  const params =
    variant === 'asset'
      ? encodeAbiParameters(assetParams, [[1, name, name, admin, decimals]])
      : encodeAbiParameters(stablecoinParams, [[1, name, name, admin, 'USD']]);
  const data = encodeFunctionData({
    abi: b20FactoryArtifact.abi,
    functionName: 'createB20',
    args: [variant === 'asset' ? 0 : 1, keccak256(stringToHex(name)), params, [...initCalls]],
  });
  await sendB20(node, { from: sender, to: factory, data });
  return address;
}
