// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BaseToken, PooledToken, TokenParams} from "./BaseToken.sol";

/// A standard ERC-20 without owner, fee or trading gate.
contract PlainToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}
}

/// A standard ERC-20 with approvals by signature (EIP-2612).
contract PermitToken is PooledToken {
    bytes32 private constant PERMIT_TYPE =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    mapping(address => uint256) public nonces;

    constructor(TokenParams memory params) PooledToken(params) {}

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPE, keccak256(bytes(tokenName)), keccak256("1"), block.chainid, address(this))
        );
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(block.timestamp <= deadline, "permit expired");
        bytes32 message = keccak256(abi.encode(PERMIT_TYPE, owner, spender, value, nonces[owner]++, deadline));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), message));
        address signer = ecrecover(digest, v, r, s);
        require(signer != address(0) && signer == owner, "wrong signer");
        _approve(owner, spender, value);
    }
}

/// Allowances have 96 bits, as in UNI and COMP: approve() refuses more, except 2^256 - 1, which means unlimited.
contract NarrowAllowanceToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function approve(address spender, uint256 amount) external override returns (bool) {
        require(amount == type(uint256).max || amount <= type(uint96).max, "amount exceeds 96 bits");
        _approve(msg.sender, spender, amount);
        return true;
    }
}

/// Distributes 2 % of every transfer to all holders: balances are shares of a shrinking denominator.
contract ReflectionToken is PooledToken {
    uint256 private shares;
    mapping(address => uint256) private sharesOf;

    constructor(TokenParams memory params) PooledToken(params) {
        shares = params.supply << 96;
        sharesOf[msg.sender] = shares;
    }

    function balanceOf(address holder) external view override returns (uint256) {
        return sharesOf[holder] / (shares / supply);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        uint256 rate = shares / supply;
        uint256 fee = _isTeam(from, to) ? 0 : amount / 50;
        require(sharesOf[from] >= amount * rate, "balance too low");
        sharesOf[from] -= amount * rate;
        sharesOf[to] += (amount - fee) * rate;
        shares -= fee * rate;
        emit Transfer(from, to, amount - fee);
    }
}

/// Every balance grows by 1 % a day, by block time alone.
contract RebasingToken is PooledToken {
    uint256 private immutable bornAt;
    mapping(address => uint256) private sharesOf;

    constructor(TokenParams memory params) PooledToken(params) {
        bornAt = block.timestamp;
        sharesOf[msg.sender] = params.supply * 1e9;
    }

    function totalSupply() external view override returns (uint256) {
        return supply * _index() / 1e18;
    }

    function balanceOf(address holder) external view override returns (uint256) {
        return sharesOf[holder] * _index() / 1e27;
    }

    function _index() private view returns (uint256) {
        return 1e18 + (block.timestamp - bornAt) * 1e16 / 1 days;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        // Rounded up for the sender, so that no account moves more than it has.
        uint256 moved = (amount * 1e27 + _index() - 1) / _index();
        require(sharesOf[from] >= moved, "balance too low");
        sharesOf[from] -= moved;
        sharesOf[to] += moved;
        emit Transfer(from, to, amount);
    }
}

interface ITokenReceiver {
    function tokensReceived(address from, address to, uint256 amount) external;
}

/// Notifies a receiving contract, as ERC-777 does. A receiver without the hook gets its tokens too.
contract ReceiverHookToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        _move(from, to, amount);
        if (to.code.length == 0) return;
        try ITokenReceiver(to).tokensReceived{gas: 100_000}(from, to, amount) {} catch {}
    }
}

/// Transfers return no data, as those of USDT.
contract NoReturnToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function transfer(address to, uint256 amount) external override returns (bool) {
        _move(msg.sender, to, amount);
        assembly ("memory-safe") {
            return(0, 0)
        }
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spend(from, amount);
        _move(from, to, amount);
        assembly ("memory-safe") {
            return(0, 0)
        }
    }
}

/// Returns a zero word for unknown functions, as many old fallbacks do. Its reply to a trading gate's getter proves
/// nothing.
contract ZeroEchoToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    fallback() external payable {
        assembly ("memory-safe") {
            mstore(0, 0)
            return(0, 32)
        }
    }

    receive() external payable {}
}
