import { type Abi, encodeDeployData, type Hex } from 'viem';

/** Creation code followed by the encoded constructor arguments. */
export function creationCode(contract: { abi: unknown; bytecode: Hex }, args: readonly unknown[] = []): Hex {
  return encodeDeployData({ abi: contract.abi as Abi, bytecode: contract.bytecode, args });
}
