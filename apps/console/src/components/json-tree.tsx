import type { JsonValue } from '@deckhand/contracts';
import { ActionIcon, CopyButton, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, ChevronDown, ChevronRight, Copy, Search } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { i18n } from '../language/i18n.ts';
import { findInJson, isLeaf, type JsonRow, toRows, unfoldSome } from './json-rows.ts';
import classes from './json-tree.module.css';

const ROW_PX = 24;
const INDENT_PX = 14;
/** Longer texts are truncated; copying copies all of it. */
const MAX_TEXT = 400;
const TYPING_MS = 200;

/** What a click on a key does. */
export interface Picking {
  /** The expression of the whole value, such as `$nodes.order.output`. */
  readonly root: string;
  readonly onPick: (expression: string) => void;
}

/**
 * A tree view for JSON of any size, with a search. Everything is shown as text. @param label names it, for screen
 * readers. @param picking makes its keys buttons.
 */
export function JsonTree({
  label,
  value,
  picking,
}: {
  label: string;
  value: JsonValue;
  picking?: Picking | undefined;
}) {
  const [open, setOpen] = useState(() => unfoldSome(value));
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, TYPING_MS);
  const found = useMemo(() => (search === '' ? undefined : findInJson(value, search)), [value, search]);
  const rows = useMemo(() => toRows(value, found ? new Set([...open, ...found.open]) : open), [value, open, found]);
  const toggle = (path: string): void =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  const place = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  return (
    <div className={classes.tree}>
      <Group gap={6} mb={6} wrap="nowrap">
        <TextInput
          size="xs"
          aria-label={i18n.t('Search in: {label}', { label })}
          placeholder={i18n.t('Search names and values')}
          leftSection={<Search size={13} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          flex={1}
        />
        {found && (
          <Text size="xs" c="dimmed" role="status">
            {found.isCut
              ? i18n.t('{count}+ found', { count: found.hits.size })
              : i18n.t('{count} found', { count: found.hits.size })}
          </Text>
        )}
        <CopyJson value={value} />
      </Group>
      <div ref={place} className={classes.scroll} role="tree" aria-label={label} tabIndex={0}>
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <Line
                  key={row.path}
                  row={row}
                  top={start}
                  isOpen={rows[index + 1]?.depth === row.depth + 1}
                  isHit={found?.hits.has(row.path) ?? false}
                  picking={picking}
                  onToggle={toggle}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Line({
  row,
  top,
  isOpen,
  isHit,
  picking,
  onToggle,
}: {
  row: JsonRow;
  top: number;
  isOpen: boolean;
  isHit: boolean;
  picking: Picking | undefined;
  onToggle: (path: string) => void;
}) {
  const { path, label, value, depth, size } = row;
  const isBranch = size !== undefined && size > 0;
  const expand = path === '' ? i18n.t('Expand all') : i18n.t('Expand {path}', { path });
  const collapse = path === '' ? i18n.t('Collapse all') : i18n.t('Collapse {path}', { path });
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      {...(isBranch ? { 'aria-expanded': isOpen } : {})}
      aria-selected={false}
      className={classes.line}
      data-hit={isHit}
      style={{ transform: `translateY(${top}px)`, paddingInlineStart: depth * INDENT_PX }}
    >
      {isBranch ? (
        <button
          type="button"
          className={classes.fold}
          onClick={() => onToggle(path)}
          aria-label={isOpen ? collapse : expand}
        >
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
        </button>
      ) : (
        <span className={classes.fold} />
      )}
      {picking ? (
        <button
          type="button"
          className={classes.key}
          title={picking.root + path}
          // The field that the expression is inserted into keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => picking.onPick(picking.root + path)}
        >
          {label ?? picking.root}
        </button>
      ) : (
        label !== undefined && <span className={classes.label}>{label}</span>
      )}
      {(picking ?? label) !== undefined && <span className={classes.label}>: </span>}
      <span className={classes.value} data-type={typeOf(value)} title={path}>
        {describe(value, size)}
      </span>
    </div>
  );
}

function CopyJson({ value }: { value: JsonValue }) {
  const [text, setText] = useState('');
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="default"
          aria-label={i18n.t('Copy as JSON')}
          // Created on demand, because a large value takes time.
          onPointerEnter={() => setText(JSON.stringify(value, null, 2))}
          onFocus={() => setText(JSON.stringify(value, null, 2))}
          onClick={copy}
        >
          {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}

function describe(value: JsonValue, size: number | undefined): string {
  if (!isLeaf(value)) {
    const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    return size === 0 ? `${left}${right}` : `${left} ${size} ${right}`;
  }
  if (typeof value !== 'string') return String(value);
  return value.length > MAX_TEXT
    ? `${JSON.stringify(value.slice(0, MAX_TEXT))} … ${i18n.t('{length} characters', { length: value.length })}`
    : JSON.stringify(value);
}

function typeOf(value: JsonValue): string {
  return value === null ? 'null' : typeof value;
}
