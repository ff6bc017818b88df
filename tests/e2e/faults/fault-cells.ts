import { createRandom, type Fault, type PassingStatement, shuffled } from '../../harness/index.ts';

/** How the client learns of a failed statement. `cut`: the connection is reset without an error. */
export const SQLSTATES = [
  '25006',
  '40001',
  '40P01',
  '53100',
  '53200',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P03',
  '08006',
  'XX000',
  '42703',
  'cut',
] as const;

/** Delay of a statement, in ms. */
const HELD_BACK_MS = 1_200;
/** All faults of a statement. */
const ALL_FAULTS: readonly Fault[] = [
  ...SQLSTATES.map((sqlstate) => ({ kind: 'before', sqlstate }) as const),
  ...SQLSTATES.map((sqlstate) => ({ kind: 'after', sqlstate }) as const),
  { kind: 'slow', ms: HELD_BACK_MS },
  { kind: 'late', ms: HELD_BACK_MS },
  { kind: 'cancelled' },
];

/** Maximum number of undisturbed passes of a frequent statement between two faults. */
const MAX_GAP = 4;

/** A statement with an injected fault. */
export interface Injection {
  /** The sending process, and the name of the statement: `worker executions.checkpoint`. */
  readonly statement: string;
  readonly fault: Fault;
  /** ms since the epoch. */
  readonly at: number;
  mentions(text: string): boolean;
}

/** The matrix of statements and faults: untested cells, and injected faults. */
export interface FaultMatrix {
  /** Returns the fault to inject into this statement, if any. */
  next(app: string, statement: PassingStatement): Fault | undefined;
  readonly injections: readonly Injection[];
  /** Untested cells of the statements that passed so far. */
  left(): number;
  /** Tested cells, by statement. */
  tried(): ReadonlyMap<string, number>;
  readonly size: (statement: string) => number;
}

/** Returns the name of a fault in reports: `before 25006`, `slow`. */
export function faultName(fault: Fault): string {
  return 'sqlstate' in fault ? `${fault.kind} ${fault.sqlstate}` : fault.kind;
}

/**
 * Creates the matrix. Statements join it as they pass for the first time, so that none is forgotten.
 * @param options.isFull every fault for every statement; otherwise a pairwise selection: every statement meets every
 * kind and every SQLSTATE, and every kind meets every SQLSTATE.
 * @param options.only part of the names of the cells that are tried, such as
 * `worker executions.checkpoint before 25006`.
 */
export function createFaultMatrix(options: { seed: number; isFull: boolean; only: string }): FaultMatrix {
  const { isFull, only } = options;
  const random = createRandom(options.seed);
  const cells = new Map<string, { faults: Fault[]; size: number; gap: number }>();
  const injections: Injection[] = [];

  function cellsOf(statement: string) {
    const known = cells.get(statement);
    if (known) return known;
    const isOdd = cells.size % 2;
    const selected = isFull ? ALL_FAULTS : pairwise(isOdd);
    const faults = shuffled(selected, random).filter((fault) => `${statement} ${faultName(fault)}`.includes(only));
    const created = { faults, size: faults.length, gap: Math.floor(random() * 2) };
    cells.set(statement, created);
    return created;
  }

  return {
    injections,
    next(app, { name, mentions }) {
      const statement = `${app} ${name}`;
      const cell = cellsOf(statement);
      cell.gap -= 1;
      if (cell.gap >= 0) return undefined;
      const fault = cell.faults.pop();
      if (!fault) return undefined;
      cell.gap = Math.floor(random() * (MAX_GAP + 1));
      injections.push({ statement, fault, at: Date.now(), mentions });
      return fault;
    },
    left: () => [...cells.values()].reduce((sum, { faults }) => sum + faults.length, 0),
    tried: () => new Map([...cells].map(([statement, { size, faults }]) => [statement, size - faults.length])),
    size: (statement) => cells.get(statement)?.size ?? 0,
  };
}

/**
 * Each SQLSTATE once, alternately before and after, and the faults without one. The next statement has it the other way
 * round.
 */
function pairwise(offset: number): Fault[] {
  return ALL_FAULTS.filter((fault) => {
    if (!('sqlstate' in fault)) return true;
    const index = SQLSTATES.findIndex((sqlstate) => sqlstate === fault.sqlstate);
    return (fault.kind === 'before') === ((index + offset) % 2 === 0);
  });
}
