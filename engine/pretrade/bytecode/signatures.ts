import { type Hex, toFunctionSelector } from 'viem';

/** Names of the getters that the lens reads, by their meaning. */
const getterNames: Record<Getter['meaning'], readonly string[]> = {
  // Names that can only mean that trading is enabled. If one returns false, the gate is closed.
  gate: toNames(`
    tradingEnabled tradingActive tradingOpen isTradingEnabled isTradingActive isTradingOpen tradingStarted tradingLive
    tradingIsEnabled tradingAllowed tradeEnabled tradeOpen tradeActive isTradeEnabled isTradeOpen openTrading
    enableTrading canTrade tradingOpened isTradingLive isTradingAllowed transfersEnabled
  `),
  // Names that may mean a trading gate or something else. They count only if a simulated trade is refused too.
  ambiguous: toNames(`
    swapEnabled launched isLaunched enabled isEnabled started isStarted live isLive active isActive opened isOpen open
    initialized saleActive transferEnabled marketActive publicTrading trading tradingStatus startTrading
  `),
  // They return true while transfers are paused, as in OpenZeppelin's Pausable.
  pause: ['paused', 'isPaused', 'tradingPaused', 'transfersPaused'],
  // They may report any lock, for example of liquidity. They never close the trading gate.
  lock: ['frozen', 'locked'],
};

/** What the functions of a group control. */
export type FunctionGroup = 'blacklist' | 'limit' | 'mint' | 'pause' | 'tax';

/** Signatures of known functions by group. */
export const signatures: Record<FunctionGroup | 'none', readonly string[]> = {
  blacklist: toNames(`
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
  `),
  limit: toNames(`
    maxTxAmount() _maxTxAmount() maxTransactionAmount() _maxTransactionAmount() maxTransaction() maxTx() maxTxn()
    maxTxLimit() maxWallet() _maxWallet() maxWalletAmount() _maxWalletAmount() maxWalletSize() _maxWalletSize()
    maxWalletToken() _maxWalletToken() maxWalletLimit() maxWalletBalance() maxHolding() maxHoldingAmount()
    maxBuyAmount() maxSellAmount() maxBuy() maxSell() maxSellTransactionAmount() maxBuyTransactionAmount()
    limitsInEffect() limitInEffect() limited() removeLimits() removeLimit() setMaxTxAmount(uint256)
    setMaxTxPercent(uint256) setMaxWallet(uint256) setMaxWalletPercent(uint256) setMaxWalletSize(uint256)
    updateMaxTxnAmount(uint256) updateMaxWalletAmount(uint256) setMaxTx(uint256) setLimits(uint256,uint256)
    setTxLimit(uint256) setMaxTxPercent(uint256,uint256) setMaxWalletToken(uint256,uint256)
    updatePercentForTxLimit(uint256) updatePercentForWalletLimit(uint256)
  `),
  mint: toNames(`
    mint(address,uint256) mint(uint256) mint(address) mint(address,uint256,bytes) mintTo(address,uint256)
    _mint(address,uint256) issue(uint256) mintTokens(address,uint256) mintToken(address,uint256) ownerMint(uint256)
    ownerMint(address,uint256) adminMint(address,uint256) crosschainMint(address,uint256) increaseSupply(uint256)
    bridgeMint(address,uint256)
  `),
  pause: ['pause()', 'unpause()', 'setPaused(bool)', 'pauseTrading()', 'setTradingPaused(bool)'],
  tax: toNames(`
    setFee(uint256) setFees(uint256,uint256) setTax(uint256) setTaxes(uint256,uint256) setBuyFee(uint256)
    setSellFee(uint256) setBuyTax(uint256) setSellTax(uint256) updateBuyFees(uint256,uint256,uint256)
    updateSellFees(uint256,uint256,uint256) updateBuyFees(uint256) updateSellFees(uint256) setTaxFeePercent(uint256)
    setLiquidityFeePercent(uint256) setFees(uint256,uint256,uint256) setBuyFees(uint256,uint256)
    setSellFees(uint256,uint256)
  `),
  // Owner functions in common token templates, which only make powers readable.
  none: toNames(`
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
  `),
};

type KnownFunction = readonly [name: string, group: FunctionGroup | 'none'];
/** Built on first use: hashing hundreds of names would slow down the start. */
let known: ReadonlyMap<Hex, KnownFunction> | undefined;

function findFunction(selector: Hex): KnownFunction | undefined {
  const groups = Object.entries(signatures) as [FunctionGroup | 'none', readonly string[]][];
  known ??= new Map(
    groups.flatMap(([group, names]) =>
      names.map((name) => [toFunctionSelector(`function ${name}`), [name, group]] as const),
    ),
  );
  return known.get(selector);
}

/** The group of a known function; undefined if it belongs to none. */
export function groupOfFunction(selector: Hex): FunctionGroup | undefined {
  const [, group = 'none'] = findFunction(selector) ?? [];
  return group === 'none' ? undefined : group;
}

/** The signature of a known function, for reading. Null: the selector is in no list. */
export const nameOfFunction = (selector: Hex): string | null => findFunction(selector)?.[0] ?? null;

export interface Getter {
  name: string;
  selector: Hex;
  meaning: 'gate' | 'ambiguous' | 'pause' | 'lock';
}

/** Every getter that the lens reads, in the order of `ExitReading.getters`. */
export const getters: readonly Getter[] = (Object.keys(getterNames) as Getter['meaning'][]).flatMap((meaning) =>
  getterNames[meaning].map((name) => ({ name, meaning, selector: toFunctionSelector(`function ${name}()`) })),
);

/** The names in a text, separated by white space. */
function toNames(text: string): string[] {
  return text.trim().split(/\s+/);
}
