import { createRandom, type Fault, type PassingStatement, shuffled } from '../../harness/index.js';

/** What the client is told when a statement fails. `cut`: the connection is reset without a word. */
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

/** How long a statement is held back, in ms. */
const HELD_BACK_MS = 1_200;
/** Every fault that a statement is met by. */
const ALL_FAULTS: readonly Fault[] = [
  ...SQLSTATES.map((sqlstate) => ({ kind: 'before', sqlstate }) as const),
  ...SQLSTATES.map((sqlstate) => ({ kind: 'after', sqlstate }) as const),
  { kind: 'slow', ms: HELD_BACK_MS },
  { kind: 'late', ms: HELD_BACK_MS },
  { kind: 'cancelled' },
];

/** Of a statement that passes often, how many pass between two that are met by a fault, at most. */
const MAX_GAP = 4;

/** A statement that was met by a fault. */
export interface Injection {
  /** The process that sent it, and its name: `worker executions.checkpoint`. */
  readonly statement: string;
  readonly fault: Fault;
  /** ms since the epoch. */
  readonly at: number;
  mentions(text: string): boolean;
}

/** The matrix of statements and faults: which cells are left, and what was injected. */
export interface FaultMatrix {
  /** The fault that this statement is met by, if its turn has come. */
  next(app: string, statement: PassingStatement): Fault | undefined;
  readonly injections: readonly Injection[];
  /** Cells of the statements that passed so far which were not tried yet. */
  left(): number;
  /** Cells tried, by statement. */
  tried(): ReadonlyMap<string, number>;
  readonly size: (statement: string) => number;
}

/** How a fault is named in reports: `before 25006`, `slow`. */
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
 * Each SQLSTATE once, before or after alternately, and the faults that have none. Two statements in a row have it the
 * other way round.
 */
function pairwise(offset: number): Fault[] {
  return ALL_FAULTS.filter((fault) => {
    if (!('sqlstate' in fault)) return true;
    const index = SQLSTATES.findIndex((sqlstate) => sqlstate === fault.sqlstate);
    return (fault.kind === 'before') === ((index + offset) % 2 === 0);
  });
}
