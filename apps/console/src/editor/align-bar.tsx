import { ActionIcon, Group, Tooltip } from '@mantine/core';
import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
  type LucideIcon,
} from 'lucide-react';
import type { Alignment } from './align.js';

const ACTIONS: readonly (readonly [Alignment, string, LucideIcon])[] = [
  ['left', 'Align left', AlignStartVertical],
  ['center', 'Align center', AlignCenterVertical],
  ['right', 'Align right', AlignEndVertical],
  ['top', 'Align top', AlignStartHorizontal],
  ['middle', 'Align middle', AlignCenterHorizontal],
  ['bottom', 'Align bottom', AlignEndHorizontal],
  ['horizontally', 'Distribute horizontally', AlignHorizontalDistributeCenter],
  ['vertically', 'Distribute vertically', AlignVerticalDistributeCenter],
];

/** Arranges the selection. */
export function AlignBar({ onAlign }: { onAlign: (how: Alignment) => void }) {
  return (
    <Group gap={4} role="toolbar" aria-label="Arrange the selection">
      {ACTIONS.map(([how, label, Icon]) => (
        <Tooltip key={how} label={label}>
          <ActionIcon variant="default" size={32} aria-label={label} onClick={() => onAlign(how)}>
            <Icon size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  );
}
