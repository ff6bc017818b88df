import { CircleAlert } from 'lucide-react';
import { ApiFault } from '../api/api-fault.js';
import { adviceOn } from './advice.js';
import classes from './problem.module.css';

/** What went wrong, beside what it went wrong with; nothing without an error. */
export function Problem({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  const { message, advice } = adviceOn(error);
  const faults = error instanceof ApiFault ? error.faults : [];
  return (
    <div className={classes.problem} role="alert">
      <CircleAlert size={18} aria-hidden />
      <div>
        <strong>{message}</strong>
        {faults.length > 1 ? (
          <ul>
            {faults.slice(0, 20).map(({ path, message: fault }) => (
              <li key={`${path} ${fault}`}>
                {path}: {fault}
              </li>
            ))}
          </ul>
        ) : (
          advice !== '' && <p>{advice}</p>
        )}
      </div>
    </div>
  );
}
