import { Handle, type NodeProps, Position } from '@xyflow/react';
import { OctagonAlert, Pin, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { STATUS_LOOKS } from '../components/status-badge.tsx';
import { i18n } from '../language/i18n.ts';
import { handleTop } from './card-size.ts';
import { ChangeMark } from './change-mark.tsx';
import type { CardNode } from './flow.ts';
import classes from './node-card.module.css';
import { typeIcon } from './type-icon.ts';

/** A node on the canvas: its name, what it does, its status or change, and its inputs and outputs. */
export const NodeCard = memo(function NodeCard({ data, selected }: NodeProps<CardNode>) {
  const { title, typeTitle, category, icon, summary, isTrigger, isDisabled, isPinned = false } = data;
  const { handles, hasUnnamedHandle, status, issue, review, change } = data;
  const Icon = typeIcon(icon);
  const line = summary ?? typeTitle;
  const appearance = status === undefined ? undefined : STATUS_LOOKS[status];
  return (
    <div
      className={classes.card}
      data-category={category}
      data-selected={selected}
      data-status={status}
      data-disabled={isDisabled}
      data-issue={issue !== undefined}
      data-change={change}
      style={appearance === undefined ? undefined : { borderColor: `var(--status-${appearance.tone})` }}
    >
      {change !== undefined && (
        <span className={classes.change}>
          <ChangeMark change={change} />
        </span>
      )}
      {!isTrigger && <Handle type="target" position={Position.Left} style={{ top: handleTop(0, 0) }} />}
      <div className={classes.head}>
        <span className={classes.icon} title={typeTitle}>
          <Icon size={18} aria-hidden />
        </span>
        <span className={classes.words}>
          <span className={classes.title} title={title}>
            {title}
          </span>
          <span className={classes.line} title={summary}>
            {isDisabled ? i18n.t('{line}, disabled', { line }) : line}
          </span>
        </span>
        {isPinned && (
          <span title={i18n.t('Output pinned')}>
            <Pin size={16} role="img" aria-label={i18n.t('Output pinned')} className={classes.pin} />
          </span>
        )}
        {appearance !== undefined && (
          <appearance.Icon
            size={16}
            role="img"
            aria-label={appearance.label}
            className={status === 'running' ? classes.turning : undefined}
            style={{ color: `var(--status-${appearance.tone})` }}
          />
        )}
        {issue !== undefined && (
          <span title={issue}>
            <OctagonAlert size={16} role="img" aria-label={issue} className={classes.issue} />
          </span>
        )}
        {issue === undefined && review !== undefined && (
          <span title={review}>
            <TriangleAlert size={16} role="img" aria-label={review} className={classes.review} />
          </span>
        )}
      </div>
      {/* First of them: a connection that names none begins there. */}
      {hasUnnamedHandle && <Handle type="source" position={Position.Right} style={{ top: handleTop(0, 0) }} />}
      {handles.length > 0 && (
        <ul className={classes.handles}>
          {handles.map((handle, index) => (
            <li key={handle}>
              <span>{handle}</span>
              <Handle
                type="source"
                id={handle}
                position={Position.Right}
                style={{ top: handleTop(index, handles.length) }}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
});
