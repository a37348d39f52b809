import type { Address, Hex } from 'viem';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { Derivation, SaltRule } from '../derivePool.ts';
import type { ChainName } from './deployments.ts';

// Init code hashes: keccak256 of a pool's creation code, as CREATE2 uses it.
/** The pair of npm @uniswap/v2-core@1.0.1; QuickSwap v2 deploys the same code. */
const uniswapV2InitCodeHash = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';
/** Sources: npm sushi, VeloraDEX/paraswap-dex-lib. */
const sushiV2InitCodeHash = '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303';
/** Sources: npm sushi, npm @pancakeswap/v2-sdk. */
const pancakeV2InitCodeHash = '0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d';
/** The pool of npm @uniswap/v3-core@1.0.1; Sushi v3 deploys the same code. */
const uniswapV3InitCodeHash = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';
/** The pool of npm @pancakeswap/v3-core@1.0.2. The deployer creates it, not the factory. */
const pancakeV3InitCodeHash = '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2';
const pancakeV3Deployer = '0x41ff9AA7e16B8B1a8a8dc4f0eFacd93D02d071c9';

/** The pool of npm @cryptoalgebra/integral-core@1.2.5. Hydrex's SDK contains the same hash. */
const integralInitCodeHash = '0xa18736c3ee97fe3c96c9428c0cc2a9116facec18e84f95f9da30543f8238a782';

const pair = (factory: Address, initCodeHash: Hex) => rule(factory, factory, initCodeHash, 'packed pair');
const v3 = (factory: Address) => rule(factory, factory, uniswapV3InitCodeHash, 'abi pair and fee');
const clone = (factory: Address, hash: Hex) => rule(factory, factory, hash, 'abi pair and spacing');
const pancakeV3 = rule(
  '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
  pancakeV3Deployer,
  pancakeV3InitCodeHash,
  'abi pair and fee',
);

function rule(factory: Address, deployer: Address, initCodeHash: Hex, salt: SaltRule): [LowerAddress, Derivation] {
  return [toLowerAddress(factory), { deployer, initCodeHash, salt }];
}

/**
 * CREATE2 parameters of each factory's pools, by the factory's address. A factory without an entry has no
 * known init code hash. The rows beside this file name the venue of each factory.
 */
export const derivations: Record<ChainName, ReadonlyMap<LowerAddress, Derivation>> = {
  base: new Map([
    pair('0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6', uniswapV2InitCodeHash),
    pair('0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E', pancakeV2InitCodeHash),
    pair('0x71524B4f93c58fcbF659783284E38825f0622859', sushiV2InitCodeHash),
    v3('0x33128a8fC17869897dcE68Ed026d694621f6FDfD'),
    v3('0xc35DADB65012eC5796536bD9864eD8773aBc74C4'),
    pancakeV3,
    // Aerodrome and Slipstream: EIP-1167 clones, whose init code contains the implementation's address.
    // Sources: 0xProject/0x-settler for 0x6f17… and 0xffb9…, and the implementation's address in
    // VeloraDEX/paraswap-dex-lib for 0xe524…. Hash 0x280c… has no published source; only the pools in tools/verify/knownPools.ts
    // confirm it.
    rule(
      '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
      '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
      '0x6f178972b07752b522a4da1c5b71af6524e8b0bd6027ccb29e5312b0e5bcdc3c',
      'packed pair and curve',
    ),
    clone(
      '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
      '0xffb9af9ea6d9e39da47392ecc7055277b9915b8bfc9f83f105821b7791a6ae30',
    ),
    clone(
      '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
      '0xe524afc4d53c767ee9df4e3b4e1937f621368ef156aeffac97f1518b2b556f9d',
    ),
    clone(
      '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef',
      '0x280c936e3b6ea93b298f009706b8938823a03421b225ef9f81250beba561f05c',
    ),
    // QuickSwap v4, whose deployer has one published source, and Hydrex, whose deployer has two. The pools in
    // tools/verify/knownPools.ts confirm both.
    rule(
      '0xC5396866754799B9720125B104AE01d935Ab9C7b',
      '0xE08026Fd8537d67C501199610c42D08bB34eAa75',
      integralInitCodeHash,
      'abi pair',
    ),
    rule(
      '0x36077D39cdC65E1e3FB65810430E5b2c4D5fA29E',
      '0x1595A5D101d69D2a2bAB2976839cC8eeEb13Ab94',
      integralInitCodeHash,
      'abi pair',
    ),
  ]),
  polygon: new Map([
    pair('0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C', uniswapV2InitCodeHash),
    pair('0x5757371414417b8C6CAad45bAeF941aBc7d3Ab32', uniswapV2InitCodeHash),
    pair('0xc35DADB65012eC5796536bD9864eD8773aBc74C4', sushiV2InitCodeHash),
    v3('0x1F98431c8aD98523631AE4a59f267346ea31F984'),
    v3('0x917933899c6a5F8E37F31E19f92CdBFF7e8FF0e2'),
    // Sources: VeloraDEX/paraswap-dex-lib, 0xProject/0x-settler
    rule(
      '0x411b0fAcC3489691f28ad58c47006AF5E3Ab3A28',
      '0x2D98E2FA9da15aa6dC9581AB097Ced7af697CB92',
      '0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4',
      'abi pair',
    ),
    // Sources: 0xProject/0x-settler; the pool of npm @cryptoalgebra/integral-core@1.2.10
    rule(
      '0x134c1dBE4860A9cAaf89002574fFe814772D9904',
      '0x96B31b1d17dee49e70B950dE33FFF83728f5c181',
      '0x62441ebe4e4315cf3d49d5957f94d66b253dbabe7006f34ad7f70947e60bf15c',
      'abi pair',
    ),
  ]),
  arbitrum: new Map([
    pair('0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9', uniswapV2InitCodeHash),
    pair('0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E', pancakeV2InitCodeHash),
    pair('0xc35DADB65012eC5796536bD9864eD8773aBc74C4', sushiV2InitCodeHash),
    // Source: VeloraDEX/paraswap-dex-lib
    pair(
      '0x6EcCab422D763aC031210895C81787E87B43A652',
      '0xa856464ae65f7619087bc369daaf7e387dae1e5af69cfa7935850ebf754b04c1',
    ),
    v3('0x1F98431c8aD98523631AE4a59f267346ea31F984'),
    v3('0x1af415a1EbA07a4986a52B6f2e7dE7003D82231e'),
    pancakeV3,
    // Sources: VeloraDEX/paraswap-dex-lib, 0xProject/0x-settler
    rule(
      '0x1a3c9B1d2F0529D97f2afC5136Cc23e58f1FD35B',
      '0x6Dd3FB9653B10e806650F107C3B5A0a6fF974F65',
      '0x6c1bebd370ba84753516bc1393c0d0a6c645856da55f5393ac8ab3d6dbc861d3',
      'abi pair',
    ),
  ]),
};
