// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import "./B20Ledger.sol";

/// Stand-in for a B20 token of both variants, with Denim's rules and order of checks. The sandbox runs it by EIP-7702
/// delegations at the addresses that the factory returns.
contract B20Token is B20Ledger {
    error AccountNotBlocked(address account);
    error AccountNotSeizable(address account);
    error InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
    error InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error InvalidMultiplier();
    error InvalidReceiver(address receiver);
    error InvalidSender(address sender);
    error InvalidSpender(address spender);
    error InvalidSupplyCap(uint256 currentSupply, uint256 proposedCap);
    error SupplyCapExceeded(uint256 cap, uint256 attempted);

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);
    event BurnedBlocked(address indexed caller, address indexed from, uint256 amount);
    event Seized(address indexed caller, address indexed from, address indexed to, uint256 amount);
    event Memo(address indexed caller, bytes32 indexed memo);
    event SupplyCapUpdated(address indexed updater, uint256 oldSupplyCap, uint256 newSupplyCap);
    event MultiplierUpdated(uint256 multiplier);

    // --- creation, by the factory only ---

    function setUp(string calldata name_, string calldata symbol_, address admin, uint8 decimals_, string calldata currency_)
        external
    {
        Ledger storage ledger = _ledger();
        require(msg.sender == B20_FACTORY && !ledger.created);
        (ledger.created, ledger.decimals, ledger.name, ledger.symbol) = (true, decimals_, name_, symbol_);
        (ledger.cap, ledger.multiplier, ledger.currency) = (type(uint128).max, 1e18, currency_);
        if (admin == address(0)) return;
        (ledger.admins, ledger.roles[0][admin]) = (1, true);
        emit RoleGranted(0, admin, msg.sender);
    }

    function close() external {
        require(msg.sender == B20_FACTORY);
        _ledger().open = true;
    }


    // --- ERC-20 ---

    function name() external view live returns (string memory) {
        return _ledger().name;
    }

    function symbol() external view live returns (string memory) {
        return _ledger().symbol;
    }

    function decimals() external view live returns (uint8) {
        return _ledger().decimals;
    }

    function totalSupply() external view live returns (uint256) {
        return _ledger().supply;
    }

    function balanceOf(address account) external view live returns (uint256) {
        return _ledger().balances[account];
    }

    function allowance(address owner, address spender) external view live returns (uint256) {
        return _ledger().allowances[owner][spender];
    }

    function approve(address spender, uint256 amount) external live returns (bool) {
        if (spender == address(0)) revert InvalidSpender(spender);
        _ledger().allowances[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external live returns (bool) {
        _requireNotPaused(PausableFeature.TRANSFER);
        _requireReceiver(to);
        _transfer(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external live returns (bool) {
        _requireNotPaused(PausableFeature.TRANSFER);
        _requireReceiver(to);
        if (from == address(0)) revert InvalidSender(from);
        uint256 allowed = _ledger().allowances[from][msg.sender];
        if (allowed < amount) revert InsufficientAllowance(msg.sender, allowed, amount);
        if (allowed != type(uint256).max) _ledger().allowances[from][msg.sender] = allowed - amount;
        _transfer(from, to, amount);
        return true;
    }

    // --- supply ---

    function mint(address to, uint256 amount) external live {
        _requireNotPaused(PausableFeature.MINT);
        _requireRole(MINT_ROLE);
        _requireReceiver(to);
        _requireAllowed(MINT_RECEIVER_POLICY, to);
        Ledger storage ledger = _ledger();
        uint256 supply = ledger.supply + amount;
        if (supply > ledger.cap) revert SupplyCapExceeded(ledger.cap, supply);
        ledger.supply = supply;
        ledger.balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function burn(uint256 amount) external live {
        _requireNotPaused(PausableFeature.BURN);
        _requireRole(BURN_ROLE);
        _burn(msg.sender, amount);
    }

    function burnBlocked(address from, uint256 amount) external live {
        _requireNotPaused(PausableFeature.BURN);
        _requireRole(BURN_BLOCKED_ROLE);
        if (_allows(TRANSFER_SENDER_POLICY, from)) revert AccountNotBlocked(from);
        _burn(from, amount);
        emit BurnedBlocked(msg.sender, from, amount);
    }

    function seizeWithMemo(address from, address to, uint256 amount, bytes32 memo) external live {
        _requireNotPaused(PausableFeature.SEIZE);
        _requireRole(SEIZE_ROLE);
        if (from == to) revert InvalidReceiver(to);
        _requireReceiver(to);
        if (from == address(0)) revert InvalidSender(from);
        if (_allows(SEIZE_EXEMPT_POLICY, from)) revert AccountNotSeizable(from);
        _requireAllowed(SEIZE_RECEIVER_POLICY, to);
        _move(from, to, amount);
        emit Memo(msg.sender, memo);
        emit Seized(msg.sender, from, to, amount);
    }

    function supplyCap() external view live returns (uint256) {
        return _ledger().cap;
    }

    function updateSupplyCap(uint256 newCap) external live {
        _requireRole(0);
        Ledger storage ledger = _ledger();
        if (newCap < ledger.supply || newCap > type(uint128).max) revert InvalidSupplyCap(ledger.supply, newCap);
        emit SupplyCapUpdated(msg.sender, ledger.cap, newCap);
        ledger.cap = newCap;
    }

    // --- the variants' own functions, by byte 10 of the address ---

    function multiplier() external view live returns (uint256) {
        _requireVariant(0);
        return _ledger().multiplier;
    }

    function updateMultiplier(uint256 newMultiplier) external live {
        _requireVariant(0);
        _requireRole(OPERATOR_ROLE);
        if (newMultiplier == 0 || newMultiplier > type(uint128).max) revert InvalidMultiplier();
        _ledger().multiplier = newMultiplier;
        emit MultiplierUpdated(newMultiplier);
    }

    function scaledBalanceOf(address account) external view live returns (uint256) {
        _requireVariant(0);
        return _ledger().balances[account] * _ledger().multiplier / 1e18;
    }

    function currency() external view live returns (string memory) {
        _requireVariant(1);
        return _ledger().currency;
    }

    // --- movements ---

    function _transfer(address from, address to, uint256 amount) private {
        if (!_isPrivileged()) {
            _requireAllowed(TRANSFER_EXECUTOR_POLICY, msg.sender);
            _requireAllowed(TRANSFER_SENDER_POLICY, from);
            _requireAllowed(TRANSFER_RECEIVER_POLICY, to);
        }
        _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private {
        Ledger storage ledger = _ledger();
        uint256 held = ledger.balances[from];
        if (held < amount) revert InsufficientBalance(from, held, amount);
        ledger.balances[from] = held - amount;
        ledger.balances[to] += amount;
        emit Transfer(from, to, amount);
    }

    function _burn(address from, uint256 amount) private {
        Ledger storage ledger = _ledger();
        uint256 held = ledger.balances[from];
        if (held < amount) revert InsufficientBalance(from, held, amount);
        ledger.balances[from] = held - amount;
        ledger.supply -= amount;
        emit Transfer(from, address(0), amount);
    }

    function _requireReceiver(address to) private view {
        if (to == address(0) || to == address(this)) revert InvalidReceiver(to);
    }

    function _requireVariant(uint8 variant) private view {
        require(uint8(uint160(address(this)) >> 72) == variant);
    }
}
