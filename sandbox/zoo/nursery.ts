import { type Abi, type Address, encodeDeployData, getContractAddress, type Hex, parseUnits } from 'viem';
import { derivedAddress } from '../placement/derivedAddress.ts';
import type { Errand } from './keeperMail.ts';
import type { Nursery, ZooToken } from './zooTypes.ts';

/** Deploys and owns every animal. */
export const keeperAddress = derivedAddress('zoo keeper');
/** Stands behind hidden owners. */
export const backstageAddress = derivedAddress('zoo backstage');

const wholeSupply = '1000000';
const noFactory: Address = '0x0000000000000000000000000000000000000000';

export interface Newborn {
  token: ZooToken;
  address: Address;
  decimals: number;
  supply: bigint;
}

export interface Delivery {
  newborns: Newborn[];
  /** The keeper's transactions, in order, from the nonce that was given. */
  errands: Errand[];
  /** To be made once all pools are filled. */
  afterwards: Errand[];
}

interface World {
  router: Address;
  factory: Address;
  wrappedNative: Address;
  nonce: number;
}

/** Queues what creates the tokens. Addresses are known before anything is sent, for they follow from the keeper's nonce. */
export function deliver(tokens: readonly ZooToken[], { router, factory, wrappedNative, nonce }: World): Delivery {
  const errands: Errand[] = [];
  const afterwards: Errand[] = [];
  const createRaw = (data: Hex) => {
    const address = getContractAddress({ from: keeperAddress, nonce: BigInt(nonce + errands.length) });
    errands.push({ data });
    return address;
  };
  const newborns = tokens.map((token) => {
    const { symbol, spelled = symbol, name = `Zoo ${symbol}`, decimals = 18 } = token;
    const supply = parseUnits(wholeSupply, decimals);
    const nursery: Nursery = {
      keeper: keeperAddress,
      backstage: backstageAddress,
      router,
      birth: (withPair = true) => ({
        name,
        symbol: spelled,
        decimals,
        supply,
        factory: withPair ? factory : noFactory,
        counter: wrappedNative,
      }),
      create: ({ abi, bytecode }, args = []) => createRaw(encodeDeployData({ abi: abi as Abi, bytecode, args })),
      createRaw,
      call: (to, data) => errands.push({ to, data }),
      afterwards: (to, data) => afterwards.push({ to, data }),
    };
    return { token, address: token.deploy(nursery), decimals, supply };
  });
  return { newborns, errands, afterwards };
}
