import type { Address } from 'viem';

/** Said wherever the answer speaks of a missing exit: what no balance can show. */
export const unseenVenues =
  'Pools of Curve and Maverick, which are contracts of their own, and of Ekubo, which has no confirmed deployment, are not looked at.';

/**
 * Places on Base where a token can be traded and this service cannot simulate the sale. A balance there means: an exit
 * may exist. Each address occurs in the records of two independent organisations; Ekubo has no confirmed deployment.
 * Curve and Maverick pools are contracts of their own, so only what lies at their routers and factories shows here.
 */
export const unmeasuredVenues: readonly { name: string; address: Address }[] = [
  { name: 'balancer-v2', address: '0xBA12222222228d8Ba445958a75a0704d566BF2C8' }, // DefiLlama/DefiLlama-Adapters, balancer/b-sdk
  { name: 'balancer-v3', address: '0xbA1333333333a1BA1108E8412f11850A5C319bA9' }, // 0xProject/0x-settler, balancer/b-sdk
  { name: 'fluid', address: '0x52Aa899454998Be5b000Ad077a46Bbe360F4e497' }, // DefiLlama/DefiLlama-Adapters, VeloraDEX/paraswap-dex-lib
  { name: 'pancakeswap-infinity', address: '0x238a358808379702088667322f80aC48bAd5e6c4' }, // DefiLlama/DefiLlama-Adapters, KyberNetwork/kyberswap-dex-lib
  { name: 'maverick-v2', address: '0x0A7e848Aca42d879EF06507Fca0E7b33A0a63c1e' }, // 0xProject/0x-settler, DefiLlama/DefiLlama-Adapters
  { name: 'curve-router', address: '0x4f37A9d177470499A2dD084621020b023fcffc1F' }, // VeloraDEX/paraswap-dex-lib, npm curvefi api
];
