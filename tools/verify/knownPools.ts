import type { Address } from 'viem';
import type { ChainName } from '../../engine/index.ts';

/** A pool whose address block explorers and indexers publish. It confirms the init code hash of its factory. */
export interface KnownPool {
  factory: Address;
  pair: readonly [Address, Address];
  /** Fee in pips, tick spacing, or 1 for the stable curve; 0 where a pair has one pool. */
  variant: number;
  pool: Address;
}

const baseWeth = '0x4200000000000000000000000000000000000006';
const baseUsdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const baseAero = '0x940181a94A35A4569E4529A3CDfB74e38FD98631';
const baseCbBtc = '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf';
const baseHydx = '0x00000e7efa313F4E11Bfff432471eD9423AC6B30';
const arbWeth = '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1';
const arbUsdc = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const arbUsdcE = '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8';
const polWpol = '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270';
const polWeth = '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619';
const polUsdcE = '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174';

function at(
  factory: Address,
  ...pools: readonly (readonly [a: Address, b: Address, variant: number, pool: Address])[]
): KnownPool[] {
  return pools.map(([a, b, variant, pool]) => ({ factory, pair: [a, b], variant, pool }));
}

export const knownPools: Record<ChainName, readonly KnownPool[]> = {
  base: [
    ...at('0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6', [
      baseWeth,
      baseUsdc,
      0,
      '0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C',
    ]),
    ...at(
      '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      [baseWeth, baseUsdc, 500, '0xd0b53D9277642d899DF5C87A3966A349A798F224'],
      [baseWeth, baseUsdc, 3000, '0x6c561B446416E1A00E8E93E221854d6eA4171372'],
    ),
    ...at(
      '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      [baseWeth, baseUsdc, 100, '0x72AB388E2E2F6FaceF59E3C3FA2C4E29011c2D38'],
      [baseWeth, baseUsdc, 500, '0xB775272E537cc670C65DC852908aD47015244EaF'],
    ),
    ...at('0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E', [
      baseWeth,
      baseUsdc,
      0,
      '0x79474223AEdD0339780baCcE75aBDa0BE84dcBF9',
    ]),
    ...at(
      '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
      [baseWeth, baseUsdc, 0, '0xcDAC0d6c6C59727a65F871236188350531885C43'],
      [baseAero, baseUsdc, 0, '0x6cDcb1C4A4D1C3C6d054b27AC5B77e89eAFb971d'],
    ),
    ...at(
      '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
      [baseWeth, baseUsdc, 100, '0xb2cc224c1c9feE385f8ad6a55b4d94E92359DC59'],
      [baseUsdc, baseCbBtc, 100, '0x4e962BB3889Bf030368F56810A9c96B83CB3E778'],
    ),
    ...at('0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a', [
      baseWeth,
      baseUsdc,
      100,
      '0x79B84C8B5dD2af239EB2891E2Ef5653f21cbB9f9',
    ]),
    ...at('0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef', [
      baseWeth,
      baseUsdc,
      100,
      '0xAd01C1D0da1acf09a71Ef6A29b30eF4d666F9305',
    ]),
    ...at('0x71524B4f93c58fcbF659783284E38825f0622859', [
      baseWeth,
      baseUsdc,
      0,
      '0x2F8818D1B0f3e3E295440c1C0cDDf40aAA21fA87',
    ]),
    ...at('0xC5396866754799B9720125B104AE01d935Ab9C7b', [
      baseWeth,
      baseUsdc,
      0,
      '0x5a9Ad2BB92B0B3E5C571FDD5125114E04E02be1a',
    ]),
    ...at(
      '0x36077D39cdC65E1e3FB65810430E5b2c4D5fA29E',
      [baseWeth, baseUsdc, 0, '0x82dbe18346a8656dBB5E76F74bf3AE279cC16B29'],
      [baseHydx, baseUsdc, 0, '0x51f0B932855986B0E621c9D4DB6Eee1f4644D3D2'],
    ),
  ],
  polygon: [
    ...at('0x1F98431c8aD98523631AE4a59f267346ea31F984', [
      polUsdcE,
      polWeth,
      500,
      '0x45dDa9cb7c25131DF268515131f647d726f50608',
    ]),
    ...at('0x5757371414417b8C6CAad45bAeF941aBc7d3Ab32', [
      polWpol,
      polUsdcE,
      0,
      '0x6e7a5FAFcec6BB1e78bAE2A1F0B612012BF14827',
    ]),
    ...at(
      '0x411b0fAcC3489691f28ad58c47006AF5E3Ab3A28',
      [polWpol, polUsdcE, 0, '0xAE81FAc689A1b4b1e06e7ef4a2ab4CD8aC0A087D'],
      [polWeth, polUsdcE, 0, '0x55CAaBB0d2b704FD0eF8192A7E35D8837e678207'],
    ),
  ],
  arbitrum: [
    ...at(
      '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      [arbWeth, arbUsdc, 500, '0xC6962004f452bE9203591991D15f6b388e09E8D0'],
      [arbWeth, arbUsdcE, 500, '0xC31E54c7a869B9FcBEcc14363CF510d1c41fa443'],
    ),
    ...at(
      '0x1a3c9B1d2F0529D97f2afC5136Cc23e58f1FD35B',
      [arbWeth, arbUsdc, 0, '0xB1026b8e7276e7AC75410F1fcbbe21796e8f7526'],
      [arbWeth, arbUsdcE, 0, '0x521aa84ab3fcc4c05cABaC24Dc3682339887B126'],
    ),
    ...at('0xc35DADB65012eC5796536bD9864eD8773aBc74C4', [
      arbWeth,
      arbUsdcE,
      0,
      '0x905dfCD5649217c42684f23958568e533C711Aa3',
    ]),
    // Source: indexers, and audits of lending protocols that accept its LP token as collateral.
    ...at('0x6EcCab422D763aC031210895C81787E87B43A652', [
      arbWeth,
      arbUsdcE,
      0,
      '0x84652bb2539513BAf36e225c930Fdd8eaa63CE27',
    ]),
  ],
};
