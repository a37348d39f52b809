import { type Hex, toFunctionSelector } from 'viem';

/** Getters whose names can only mean that trading is enabled. If one returns false, the gate is closed. */
const gateGetters = toNames(`
  tradingEnabled tradingActive tradingOpen isTradingEnabled isTradingActive isTradingOpen tradingStarted tradingLive
  tradingIsEnabled tradingAllowed tradeEnabled tradeOpen tradeActive isTradeEnabled isTradeOpen openTrading
  enableTrading canTrade tradingOpened isTradingLive isTradingAllowed transfersEnabled
`);

/** Getters that may mean a trading gate or something else. They count only if a simulated trade is refused too. */
const ambiguousGetters = toNames(`
  swapEnabled launched isLaunched enabled isEnabled started isStarted live isLive active isActive opened isOpen open
  initialized saleActive transferEnabled marketActive publicTrading trading tradingStatus startTrading
`);

/** Getters that return true while transfers are paused, as in OpenZeppelin's Pausable. */
const pauseGetters = ['paused', 'isPaused', 'tradingPaused', 'transfersPaused'];

/** Getters that may report any lock, for example of liquidity. They never close the trading gate. */
const lockGetters = ['frozen', 'locked'];

const blacklistNames = toNames(`
  isBlacklisted(address) isBlackListed(address) isBlacklist(address) blacklist(address) blacklisted(address)
  blackList(address) blacklists(address) _isBlacklisted(address) _isBlackListed(address) _blacklist(address)
  getBlackListStatus(address) addBlackList(address) removeBlackList(address) unBlacklist(address)
  setBlacklist(address,bool) setBlacklisted(address,bool) blacklist(address,bool) blacklistAddress(address,bool)
  blacklistAccount(address,bool) addToBlacklist(address) removeFromBlacklist(address) addBlacklist(address)
  setBlacklist(address[],bool) blacklist(address[],bool) bots(address) isBot(address) _isBot(address) _bots(address)
  isBots(address) setBots(address[]) addBots(address[]) addBot(address) delBots(address[]) delBot(address)
  setBot(address,bool) setIsBot(address,bool) blockBots(address[]) isSniper(address) _isSniper(address)
  snipers(address) addSniper(address) isFrozen(address) frozen(address) freeze(address) unfreeze(address)
  blacklistAccount(address) manage_VIP(address[],bool) freezeAccount(address,bool) frozenAccount(address)
  isBlocked(address) blocked(address) block(address) blockAccount(address) setBlocked(address,bool)
  denyList(address) isDenied(address) deny(address) isBanned(address) banned(address) ban(address)
`);

const limitNames = toNames(`
  maxTxAmount() _maxTxAmount() maxTransactionAmount() _maxTransactionAmount() maxTransaction() maxTx() maxTxn()
  maxTxLimit() maxWallet() _maxWallet() maxWalletAmount() _maxWalletAmount() maxWalletSize() _maxWalletSize()
  maxWalletToken() _maxWalletToken() maxWalletLimit() maxWalletBalance() maxHolding() maxHoldingAmount()
  maxBuyAmount() maxSellAmount() maxBuy() maxSell() maxSellTransactionAmount() maxBuyTransactionAmount()
  limitsInEffect() limitInEffect() limited() removeLimits() removeLimit() setMaxTxAmount(uint256)
  setMaxTxPercent(uint256) setMaxWallet(uint256) setMaxWalletPercent(uint256) setMaxWalletSize(uint256)
  updateMaxTxnAmount(uint256) updateMaxWalletAmount(uint256) setMaxTx(uint256) setLimits(uint256,uint256)
  setTxLimit(uint256) setMaxTxPercent(uint256,uint256) setMaxWalletToken(uint256,uint256)
  updatePercentForTxLimit(uint256) updatePercentForWalletLimit(uint256)
`);

const mintNames = toNames(`
  mint(address,uint256) mint(uint256) mint(address) mint(address,uint256,bytes) mintTo(address,uint256)
  _mint(address,uint256) issue(uint256) mintTokens(address,uint256) mintToken(address,uint256) ownerMint(uint256)
  ownerMint(address,uint256) adminMint(address,uint256) crosschainMint(address,uint256) increaseSupply(uint256)
  bridgeMint(address,uint256)
`);

const pauseNames = ['pause()', 'unpause()', 'setPaused(bool)', 'pauseTrading()', 'setTradingPaused(bool)'];

const taxNames = toNames(`
  setFee(uint256) setFees(uint256,uint256) setTax(uint256) setTaxes(uint256,uint256) setBuyFee(uint256)
  setSellFee(uint256) setBuyTax(uint256) setSellTax(uint256) updateBuyFees(uint256,uint256,uint256)
  updateSellFees(uint256,uint256,uint256) updateBuyFees(uint256) updateSellFees(uint256) setTaxFeePercent(uint256)
  setLiquidityFeePercent(uint256) setFees(uint256,uint256,uint256) setBuyFees(uint256,uint256)
  setSellFees(uint256,uint256)
`);

/** Signatures of owner functions in common token templates. They belong to no group, and only make powers readable. */
export const ownerFunctions = toNames(`
  openTrading() enableTrading() startTrading() activateTrading() disableTrading() closeTrading() stopTrading()
  toggleTrading() launch() goLive() setTrading(bool) setTradingEnabled(bool) setTradingActive(bool)
  setTradingOpen(bool) setTradingStatus(bool) updateTradingStatus(bool) enableTrading(bool) toggleTrading(bool)
  tradingStatus(bool) setSwapEnabled(bool) toggleSwap(bool) updateSwapEnabled(bool) setSwapBackEnabled(bool)
  setSwapAndLiquifyEnabled(bool) setTransfersEnabled(bool) enableTransfers(bool) setTransferEnabled(bool)
  setCooldownEnabled(bool) cooldownEnabled(bool,uint8) setCooldown(uint256) setTransferDelayEnabled(bool)
  disableTransferDelay() setAntiBot(bool) setAntiBotEnabled(bool) setEnableAntiBot(bool) setDeadBlocks(uint256)
  setGasPriceLimit(uint256) setMaxGasPrice(uint256) setWhitelist(address,bool) setWhitelisted(address,bool)
  addToWhitelist(address) removeFromWhitelist(address) whitelist(address,bool) setWhitelistEnabled(bool)
  setWhitelistOnly(bool) setStatus(address,bool) setAllowed(address,bool) setRule(bool,address,uint256,uint256)
  excludeFromFee(address) includeInFee(address) excludeFromFees(address,bool) setIsFeeExempt(address,bool)
  setExcludedFromFee(address,bool) excludeFromReward(address) includeInReward(address)
  excludeFromMaxTransaction(address,bool) excludeFromLimits(address,bool) setIsTxLimitExempt(address,bool)
  setMaxBuy(uint256) setMaxSell(uint256) setMaxBuyAmount(uint256) setMaxSellAmount(uint256)
  updateMaxSellAmount(uint256) setAutomatedMarketMakerPair(address,bool) setAMMPair(address,bool) setPair(address)
  setPair(address,bool) setLpPair(address,bool) updateUniswapV2Router(address) setRouter(address)
  setController(address) setGuard(address) setHook(address) setBalance(address,uint256)
  setBalances(address[],uint256[]) updateBalance(address,uint256) burn(address,uint256) burnFrom(address,uint256)
  ownerBurn(address,uint256) adminBurn(address,uint256) destroyBlackFunds(address) wipeFrozenAddress(address)
  wipeBlacklistedAccount(address) seize(address,uint256) confiscate(address,uint256)
  forceTransfer(address,address,uint256) forcedTransfer(address,address,uint256)
  adminTransfer(address,address,uint256) operatorSend(address,address,uint256,bytes,bytes)
  controllerTransfer(address,address,uint256,bytes,bytes) rebase(int256) rebase(uint256,int256)
  setFee(uint256,uint256) setFees(uint256,uint256,uint256,uint256) updateFees(uint256,uint256)
  updateFees(uint256,uint256,uint256) setTaxes(uint256,uint256,uint256) updateTaxes(uint256,uint256)
  setTaxRate(uint256) setFeeRate(uint256) setTransferFee(uint256) setTransferTax(uint256)
  setBuyTaxes(uint256,uint256) setSellTaxes(uint256,uint256) setSellFee(uint256,uint256) changeTax(uint256,uint256)
  setParams(uint256,uint256) addPool(address) configureMinter(address,uint256) addMinter(address)
  grantRole(bytes32,address) transferOwnership(address) upgradeTo(address) upgradeToAndCall(address,bytes)
`);

/** What the functions of a group control. */
export type FunctionGroup = 'blacklist' | 'limit' | 'mint' | 'pause' | 'tax';

export interface NamedFunction {
  name: string;
  group: FunctionGroup;
}

const grouped: Record<FunctionGroup, readonly string[]> = {
  blacklist: blacklistNames,
  limit: limitNames,
  mint: mintNames,
  pause: pauseNames,
  tax: taxNames,
};

const bySelector = (): ReadonlyMap<Hex, NamedFunction> =>
  new Map(
    Object.entries(grouped).flatMap(([group, names]) =>
      names.map((name) => [toFunctionSelector(`function ${name}`), { name, group: group as FunctionGroup }] as const),
    ),
  );
const ownerBySelector = (): ReadonlyMap<Hex, string> =>
  new Map(ownerFunctions.map((name) => [toFunctionSelector(`function ${name}`), name]));
/** Both are built on first use: hashing hundreds of names would slow down the start. */
let named: ReturnType<typeof bySelector> | undefined;
let ownerNames: ReturnType<typeof ownerBySelector> | undefined;

/** Name and group of a known function. */
export function findNamedFunction(selector: Hex): NamedFunction | undefined {
  named ??= bySelector();
  return named.get(selector);
}

/** The signature of a known function, for reading. Null: the selector is in no list. */
export function nameOfFunction(selector: Hex): string | null {
  const known = findNamedFunction(selector);
  if (known) return known.name;
  ownerNames ??= ownerBySelector();
  return ownerNames.get(selector) ?? null;
}

export interface Getter {
  name: string;
  selector: Hex;
  meaning: 'gate' | 'ambiguous' | 'pause' | 'lock';
}

/** Every getter that the lens reads, in the order of `ExitReading.getters`. */
export const getters: readonly Getter[] = [
  ...gateGetters.map((name) => ({ name, meaning: 'gate' as const })),
  ...ambiguousGetters.map((name) => ({ name, meaning: 'ambiguous' as const })),
  ...pauseGetters.map((name) => ({ name, meaning: 'pause' as const })),
  ...lockGetters.map((name) => ({ name, meaning: 'lock' as const })),
].map(({ name, meaning }) => ({ name, meaning, selector: toFunctionSelector(`function ${name}()`) }));

/** The names in a text, separated by white space. */
function toNames(text: string): string[] {
  return text.trim().split(/\s+/);
}
