// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the page from the JSON that it carries: what `--format json` prints (`document`, or of verify
// `verification`), what `predict` prints for several numbers of threads (`curves`), and excerpts of
// the source.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const measured = data.document || {};
  const advice = measured.advice;
  const verification = data.verification;
  const curves = data.curves;

  // --- elements

  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, '');
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    for (const child of children.flat())
      if (child != null && child !== false) element.append(child);
    return element;
  }
  function svg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }
  const badge = text => h('span', {class: 'badge'}, text);
  const origin = data.simulated ? 'simulated' : 'predicted';

  // --- numbers for people

  const digits = (value, count) => Number(value.toPrecision(count)).toString();
  function duration(ns) {
    if (ns == null) return '-';
    const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']];
    for (const [size, unit] of units)
      if (ns >= size) return digits(ns / size, ns / size >= 100 ? 3 : 2) + ' ' + unit;
    return (ns >= 10 ? Math.round(ns) : digits(ns, 2)) + ' ns';
  }
  function amount(value) {
    if (value == null) return '-';
    const units = [[1e9, ' G'], [1e6, ' M'], [1e4, ' k', 1e3]];
    for (const [from, unit, size = from] of units)
      if (value >= from) return digits(value / size, 3) + unit;
    return digits(value, 4);
  }
  const percent = share => share == null ? '-' : share > 0 && share < 0.001 ? '< 0.1 %'
    : digits(100 * share, share >= 0.1 ? 3 : 2) + ' %';
  const factor = (value, like = value) => value.toFixed(like < 2 ? 2 : 1) + 'x';
  /// A factor and its interval, with as many digits as tell a small gain from none.
  const between = (value, [low, high]) => `(${factor(low, value)} to ${factor(high, value)})`;
  const label = kind => data.labels[kind] || kind;

  // --- locks: one object for all that is known of each

  // The threads whose number charts are about; `scaling` names their classes.
  const atWork = (measured.threads || []).filter(one => !data.scaling || data.scaling.includes(one.class));
  const recorded = atWork.reduce((sum, one) => sum + one.count, 0);
  const firstKind = curves && Object.values(curves.kinds)[0];
  const names = measured.locks ? measured.locks.map(lock => lock.name)
    : firstKind ? firstKind.locks.map(lock => lock.name) : [];
  const locks = names.map((name, index) => {
    const json = (measured.locks || [])[index] || {};
    return {
      name, index, json, advice: json.advice, sites: json.sites || [], whatIf: json.what_if || [],
      inCurves: firstKind ? firstKind.locks.findIndex(lock => lock.name === name) : -1,
      findings: (measured.findings || []).filter(finding => finding.lock === name),
      hash: '#lock=' + encodeURIComponent(name),
    };
  });
  // Changes first, the largest gain first; then what is waited for most often.
  if (advice)
    locks.sort((a, b) => (a.advice.keep - b.advice.keep) || (b.advice.speedup - a.advice.speedup) ||
                         (b.advice.contention_rate - a.advice.contention_rate) || (a.index - b.index));

  else if (!measured.locks && firstKind) {
    const longest = lock => Math.max(...Object.values(curves.kinds).map(of => of.locks[lock.index].wait_ns.slice(-1)[0] || 0));
    locks.sort((a, b) => longest(b) - longest(a) || a.index - b.index);
  }

  // --- sortable tables

  /// A column has a title, a value to sort by and a cell to show. `group` says where it comes from.
  function table(caption, columns, rows, attributes) {
    const body = h('tbody');
    const lines = rows.map(row => ({row, line: h('tr', {'data-name': row.name},
      columns.map((column, at) => h(at === 0 ? 'th' : 'td',
        {scope: at === 0 && 'row', class: column.text ? 'text' : 'number'}, column.cell(row))))}));
    const show = () => body.replaceChildren(...lines.map(one => one.line));
    const heads = columns.map(column => h('th', {scope: 'col', class: column.text ? null : 'number'},
      h('button', {type: 'button', onclick: () => sort(column)}, column.title)));
    function sort(column) {
      const head = heads[columns.indexOf(column)];
      const down = head.getAttribute('aria-sort') ? head.getAttribute('aria-sort') === 'ascending' : !column.text;
      for (const one of heads) one.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const order = (a, b) => {
        const x = column.value(a.row), y = column.value(b.row);
        // What is not known comes last, either way.
        if (x == null || y == null) return (x == null) - (y == null);
        return (typeof x === 'string' ? x.localeCompare(y) : x - y) * (down ? -1 : 1);
      };
      lines.sort(order);
      show();
    }
    show();
    const groups = [];
    for (const column of columns) {
      const last = groups[groups.length - 1];
      if (last && last.name === column.group) last.span++;
      else groups.push({name: column.group, span: 1});
    }
    return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
      h('table', attributes, h('caption', {hidden: true}, caption),
        h('thead', null,
          groups.some(group => group.name) && h('tr', {class: 'groups'}, groups.map(group =>
            h('th', {colspan: group.span, scope: 'colgroup'}, group.name ? badge(group.name) : ''))),
          h('tr', null, heads)),
        body));
  }

  // --- charts

  // Colours that the colour-blind can tell apart (Okabe and Ito), and a mark for each besides.
  const looks = {
    today: ['#8b949e', 'circle'], recorded: ['#8b949e', 'circle'], advised: ['#009e73', 'star'], pthread_mutex: ['#d55e00', 'rect'],
    spinlock: ['#cc79a7', 'triangle'], qd: ['#0072b2', 'rectRot'], mcs: ['#e69f00', 'rectRounded'],
    ticket: ['#56b4e9', 'triangle'], clh: ['#b8a500', 'rectRot'], mrqd: ['#7a5fd0', 'circle'],
    pthread_rwlock: ['#a0522d', 'rect'], ideal: ['#6e7781', 'dash'],
  };
  const lookOf = key => looks[key] || ['#6e7781', 'circle'];
  const withAlpha = (colour, alpha) => colour + Math.round(255 * alpha).toString(16).padStart(2, '0');
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const drawn = new Set(); // functions that draw a chart again, in the colours of the theme

  /// A vertical line where there are as many threads as cores.
  const coresLine = cores => ({
    id: 'cores',
    beforeDatasetsDraw(chart) {
      const {ctx, chartArea: area, scales: {x}} = chart;
      if (!cores || cores < x.min || cores > x.max) return;
      const at = x.getPixelForValue(cores), left = at > (area.left + area.right) / 2;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = css('--faint');
      ctx.setLineDash([4, 4]);
      ctx.beginPath();
      ctx.moveTo(at, area.top);
      ctx.lineTo(at, area.bottom);
      ctx.stroke();
      ctx.textAlign = left ? 'right' : 'left';
      ctx.fillText(cores + (cores === 1 ? ' core' : ' cores'), at + (left ? -5 : 5), area.top + 10);
      ctx.restore();
    },
  });

  /// A horizontal line at a figure that others are compared with.
  const levelLine = level => ({
    id: 'level',
    beforeDatasetsDraw(chart) {
      const {ctx, chartArea: area, scales: {y}} = chart;
      if (level == null || level < y.min || level > y.max) return;
      const at = y.getPixelForValue(level);
      ctx.save();
      ctx.strokeStyle = css('--faint');
      ctx.beginPath();
      ctx.moveTo(area.left, at);
      ctx.lineTo(area.right, at);
      ctx.stroke();
      ctx.restore();
    },
  });

  /// Intervals of points that stand by themselves.
  const errorBars = {
    id: 'bars',
    afterDatasetsDraw(chart) {
      const {ctx, scales: {x, y}} = chart;
      chart.data.datasets.forEach((set, index) => {
        if (!set.bars || !chart.isDatasetVisible(index)) return;
        ctx.save();
        ctx.strokeStyle = set.borderColor;
        ctx.lineWidth = 2;
        ctx.beginPath();
        for (const bar of set.bars) {
          const at = x.getPixelForValue(bar.x), low = y.getPixelForValue(bar.low), high = y.getPixelForValue(bar.high);
          ctx.moveTo(at, low);
          ctx.lineTo(at, high);
          for (const end of [low, high]) {
            ctx.moveTo(at - 5, end);
            ctx.lineTo(at + 5, end);
          }
        }
        ctx.stroke();
        ctx.restore();
      });
    },
  };

  /// Each series becomes a line and, under it, the band of its intervals. One that is `single` has
  /// points without a line, `bars` in place of a band.
  function datasetsOf(series) {
    const sets = [];
    for (const one of series) {
      const [colour, mark] = lookOf(one.look);
      const line = {
        label: one.label, borderColor: colour, backgroundColor: colour, pointStyle: mark,
        borderWidth: one.strong ? 3 : 1.5, borderDash: one.look === 'today' ? [7, 4] : [],
        pointRadius: one.radius || (one.single ? 8 : one.strong ? 4.5 : 3), pointBorderWidth: one.single ? 2.5 : 1,
        bars: one.bars && one.bounds,
        showLine: !one.single, order: one.strong ? 1 : 2, data: one.points, parsing: false, band: false, clip: 12,
      };
      sets.push(line);
      if (!one.bounds || one.bars) continue;
      const edge = side => ({
        label: one.label, borderWidth: 0, pointRadius: 0, pointHitRadius: 0, order: 3, parsing: false,
        data: one.bounds.map(point => ({x: point.x, y: point[side]})), band: true, fill: false,
      });
      sets.push(edge('low'), {...edge('high'), fill: '-1', backgroundColor: withAlpha(colour, one.strong ? 0.22 : 0.09)});
    }
    return sets;
  }

  /// Clicking a line's name hides it with its band.
  function toggle(event, item, legend) {
    const chart = legend.chart, name = item.text, visible = chart.isDatasetVisible(item.datasetIndex);
    chart.data.datasets.forEach((set, index) => {
      if (set.label === name) chart.setDatasetVisibility(index, !visible);
    });
    chart.update();
  }

  function optionsOf(chart, shown) {
    const axis = {color: css('--faint')}, grid = {color: css('--line')}, margin = chart.margin || 0;
    return {
      animation: false, maintainAspectRatio: false,
      interaction: {mode: 'x', intersect: false},
      plugins: {
        legend: {position: 'bottom', onClick: toggle,
          labels: {color: css('--ink'), usePointStyle: true, boxWidth: 8, boxHeight: 8, filter: (item, of) => !of.datasets[item.datasetIndex].band}},
        tooltip: {
          filter: item => !item.dataset.band,
          itemSort: (a, b) => a.parsed.y - b.parsed.y,
          callbacks: {
            title: items => items.length ? `${items[0].parsed.x} thread${items[0].parsed.x === 1 ? '' : 's'}` : '',
            label: item => `${item.dataset.label}: ${chart.format(item.parsed.y)}`,
          },
        },
      },
      scales: {
        x: {
          type: chart.doubling ? 'logarithmic' : 'linear', grid,
          min: chart.threads[0] - margin, max: chart.threads[chart.threads.length - 1] + margin,
          title: {display: true, text: 'threads', ...axis},
          ticks: {...axis, autoSkip: true, callback: value => value},
          ...(chart.threads.length <= 12 && {afterBuildTicks: scale => { scale.ticks = chart.threads.map(value => ({value})); }}),
        },
        y: {
          type: shown.logarithmic ? 'logarithmic' : 'linear', grid, ...(!shown.logarithmic && {min: 0}),
          title: {display: true, text: chart.unit, ...axis},
          ticks: {...axis, maxTicksLimit: 8, callback: value => chart.format(value)},
        },
      },
    };
  }

  /// The same figures for those who do not see the canvas, and for the printer.
  function figures(chart) {
    const lines = chart.series.filter(one => !one.radius);
    return h('details', {class: 'figures'}, h('summary', null, 'The same as a table'),
      h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': chart.title + ', figures'}, h('table', null,
        h('thead', null, h('tr', null, h('th', {scope: 'col'}, 'threads'),
          lines.map(one => h('th', {scope: 'col', class: 'number'}, one.label)))),
        h('tbody', null, chart.threads.map(threads => h('tr', null, h('th', {scope: 'row'}, threads),
          lines.map(one => {
            const at = one.points.find(point => point.x === threads);
            const bounds = at && one.bounds && one.bounds.find(point => point.x === threads);
            return h('td', {class: 'number'}, at ? chart.format(at.y) : '-', bounds && h('span', {class: 'faint'},
              ` (${chart.format(bounds.low)} to ${chart.format(bounds.high)})`));
          })))))));
  }

  function chartFigure(chart) {
    const shown = {logarithmic: Boolean(chart.logarithmic)};
    const canvas = h('canvas', {role: 'img', 'aria-label': `${chart.title}, against the number of threads. The table below has the figures.`});
    const scale = h('button', {type: 'button', 'aria-pressed': shown.logarithmic ? 'true' : 'false', onclick: () => {
      shown.logarithmic = !shown.logarithmic;
      scale.setAttribute('aria-pressed', shown.logarithmic);
      draw();
    }}, 'Logarithmic scale');
    let current;
    function draw() {
      if (current) current.destroy();
      current = new Chart(canvas, {type: 'line', data: {datasets: datasetsOf(chart.series)},
        options: optionsOf(chart, shown), plugins: [coresLine(chart.cores), levelLine(chart.level), errorBars]});
    }
    // Chart.js measures the canvas, which must be in the document by then.
    setTimeout(() => { draw(); drawn.add(draw); });
    return h('figure', null, h('figcaption', null, chart.title, ' ', badge(chart.origin || origin)),
      h('div', {class: 'canvas'}, canvas), h('div', {class: 'tools'}, scale), figures(chart));
  }

  // --- curves

  /// Today's locks, those advised, and each algorithm everywhere.
  function assignments() {
    const list = [];
    if (curves.today) list.push({look: 'today', label: "today's locks", of: curves.today, strong: true});
    if (curves.advised) list.push({look: 'advised', label: 'as advised', of: curves.advised, strong: true});
    const isToday = kind => curves.today && locks.every(lock => lock.advice.today === kind);
    for (const [kind, of] of Object.entries(curves.kinds))
      if (!isToday(kind)) list.push({look: kind, label: (curves.today ? label(kind) + ' everywhere' : label(kind)), of, strong: false});
    return list;
  }
  /// A figure of each assignment, with its intervals, as lines. `figureOf` finds it and its bounds.
  function seriesOf(figureOf) {
    const at = list => curves.threads.map((x, i) => ({x, y: list[i]})).filter(point => point.y != null);
    return assignments().map(one => {
      const [values, bounds] = figureOf(one.of);
      return {...one, points: at(values),
        bounds: bounds && curves.threads.map((x, i) => bounds[i] && {x, low: bounds[i][0], high: bounds[i][1]}).filter(Boolean)};
    }).filter(one => one.points.length);
  }
  const steps = curves ? curves.threads.slice(1).map((threads, i) => threads / curves.threads[i]) : [];
  const frame = curves && {threads: curves.threads, cores: data.cores, doubling: steps.length > 1 && steps.every(step => step >= 1.4)};

  const throughputChart = () => chartFigure({...frame, title: 'Throughput of the program', unit: 'critical sections per second',
    format: amount, series: seriesOf(of => [of.throughput_per_s, of.throughput_per_s_ci95])});
  function waitChart(lock) {
    const series = seriesOf(of => [of.locks[lock.inCurves].wait_ns, of.locks[lock.inCurves].wait_ns_ci95]);
    for (const one of series)
      if (one.look === 'advised' && lock.advice) one.label += ` (here: ${label(lock.advice.kind)})`;
    const wait = lock.json.wait_ns;
    if (wait && recorded >= curves.threads[0] && recorded <= curves.threads[curves.threads.length - 1])
      series.push({look: 'measured', label: 'measured in the recorded run', single: true, strong: true,
        points: [{x: recorded, y: wait.mean}]});
    return chartFigure({...frame, title: `Mean wait for ${lock.name}`, unit: 'mean wait per acquisition', format: duration, logarithmic: true, series});
  }
  looks.measured = ['#cf222e', 'crossRot'];
  looks.pinned = ['#0072b2', 'cross'];

  // --- the lock graph: sections in a column, and arcs for what follows what

  function graph(of) {
    const most = 40;
    const shown = of.sections.map((section, index) => ({...section, index}))
      .sort((a, b) => b.share - a.share).slice(0, most);
    const ordered = [];
    for (const lock of [...new Set(shown.map(section => section.lock))]) {
      const own = shown.filter(section => section.lock === lock);
      ordered.push({heading: lock}, ...own);
    }
    const row = 30, left = 30, right = 500, top = 18, height = top + ordered.length * row + 10;
    const yOf = new Map(ordered.map((one, at) => [one.index, top + at * row]).filter(([index]) => index != null));
    const greatest = Math.max(...of.sections.map(section => section.share), 1e-9);
    const picture = svg('svg', {class: 'graph', viewBox: `0 0 700 ${height}`, role: 'img',
      'aria-label': 'Critical sections by lock, with their share of the traffic, and which section follows which. The list below says the same.'});
    const arrow = svg('marker', {id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 10, markerHeight: 10,
      orient: 'auto', markerUnits: 'userSpaceOnUse'}, svg('path', {d: 'M0,0 L8,4 L0,8 z', style: `fill:${css('--link')};stroke:none;opacity:1`}));
    picture.append(svg('defs', {}, arrow));
    const brief = (text, room) => text.length <= room ? text : text.slice(0, room / 2 - 2) + '...' + text.slice(-room / 2 + 1);
    ordered.forEach((one, at) => {
      const y = top + at * row;
      if (one.heading != null) {
        picture.append(svg('text', {x: 4, y: y + 4, class: 'lock'}, brief(one.heading, 70)));
        return;
      }
      const width = 90 * one.share / greatest;
      const outer = one.inside == null ? '' : ` inside ${of.sections[one.inside].name}`;
      picture.append(
        svg('rect', {x: left, y: y - 6, width: Math.max(width, 1), height: 12}),
        svg('text', {x: left + 98, y: y + 4}, brief(one.name + (one.shared ? ' (shared)' : '') + outer, 48)),
        svg('text', {x: right - 60, y: y + 4, class: 'faint'}, percent(one.share)));
    });
    const widest = Math.max(...of.routes.map(route => route.share), 1e-9);
    for (const route of of.routes) {
      const from = yOf.get(route.from), to = yOf.get(route.to);
      if (from == null || to == null || route.share < 0.002) continue;
      const self = from === to;
      // Arcs down leave and arrive a little lower than arcs up, which they would cover otherwise.
      const bow = 40 + 34 * Math.sqrt(Math.abs(to - from) / row), aside = to > from ? 3 : -3;
      const d = self ? `M${right},${from - 5} C${right + 60},${from - 22} ${right + 60},${from + 22} ${right},${from + 5}`
        : `M${right},${from + aside} C${right + bow * 1.4},${from + aside} ${right + bow * 1.4},${to + aside} ${right},${to + aside}`;
      const path = svg('path', {d, 'stroke-width': Math.max(1, 5 * route.share / widest), 'marker-end': 'url(#arrow)'});
      path.append(svg('title', {}, `${of.sections[route.from].name} to ${of.sections[route.to].name}: ${percent(route.share)}`));
      picture.append(path);
    }
    return h('section', {id: 'graph', 'aria-labelledby': 'graph-title'},
      h('h2', {id: 'graph-title'}, 'Sections and routes'),
      h('p', {class: 'faint'}, 'Bars: share of all critical sections that threads run. Arcs: which section a thread runs next; ',
        'the wider, the more often. A section inside another says so.',
        of.sections.length > most && ` The ${most} busiest of ${of.sections.length} sections.`),
      h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Sections and routes'}, picture),
      h('details', {class: 'figures'}, h('summary', null, 'The same as a list'), h('ul', null, of.routes.filter(route => route.share >= 0.002)
        .sort((a, b) => b.share - a.share).slice(0, 100).map(route =>
          h('li', null, `${of.sections[route.from].name}, then ${of.sections[route.to].name}: ${percent(route.share)}`)))));
  }

  // --- sites and their source

  const timeAt = site => site.hold_ns ? site.acquisitions * (site.hold_ns.mean + site.wait_ns.mean) : 0;
  const allTime = locks.reduce((sum, lock) => sum + lock.sites.reduce((part, site) => part + timeAt(site), 0), 0);
  function sites(lock) {
    if (!lock.sites.length) return null;
    return [h('h3', null, 'Sites ', badge('measured')), lock.sites.map(site => {
      const share = allTime > 0 ? timeAt(site) / allTime : 0;
      const place = `${site.file}:${site.line}`, source = (data.sources || {})[place];
      return h('div', null,
        h('p', null, h('code', null, place), ' ', site.function,
          h('span', {class: 'heat', role: 'img', 'aria-label': `${percent(share)} of the time at locks`}, h('b', {style: `width:${100 * share}%`})),
          `${percent(share)} of the time held and waited for, ${amount(site.acquisitions)} acquisitions`,
          site.hold_ns && `, held ${duration(site.hold_ns.mean)}, waited for ${duration(site.wait_ns.mean)}`,
          site.quadrant && ` (${site.quadrant})`),
        source && h('pre', null, source.lines.map((text, at) => {
          const number = source.first + at, own = number === site.line;
          return h('span', {style: own ? `background:rgba(var(--heat),${0.12 + 0.4 * share})` : null}, h('i', null, number), text || ' ');
        })));
    })];
  }

  // --- findings

  function finding(one) {
    return h('div', null,
      h('p', null, h('strong', null, one.lock || 'The program'), ': ', one.id, one.quadrant && ` (${one.quadrant})`, '. ', one.message),
      h('ul', null, (one.remedies || []).map((text, at) => h('li', null, `${one.causes[at].category}: ${text}`))),
      one.sites && one.sites.length > 0 && h('p', {class: 'faint'}, 'at ', one.sites.join(', ')));
  }

  // --- a lock in detail

  function verdictOf(lock) {
    if (!lock.advice) return label(lock.json.kind || '');
    return lock.advice.keep ? `keep (${label(lock.advice.today)})` : label(lock.advice.kind);
  }
  function whatIf(one) {
    const gain = one.speedup == null ? 'nothing can be said' : `${factor(one.speedup)} ${between(one.speedup, one.interval)}`;
    const over = one.over_advised == null ? '' : `; ${factor(one.over_advised)} ${between(one.over_advised, one.over_advised_interval)} over the program as advised`;
    return h('li', null, `${one.condition}: ${gain}${over}`);
  }
  function fill(lock, inside) {
    const given = lock.advice;
    inside.append(...[
      lock.inCurves >= 0 && curves.threads.length > 1 && h('div', {class: 'charts'}, waitChart(lock)),
      given && given.reasons.length > 0 && [h('h3', null, 'Why ', badge('predicted')), h('ul', null, given.reasons.map(text => h('li', null, text)))],
      given && given.obstacles.length > 0 && [h('h3', null, 'What the change needs'), h('ul', {class: 'warn'}, given.obstacles.map(text => h('li', null, text)))],
      lock.whatIf.length > 0 && [h('h3', null, 'What if ', badge('predicted')), h('ul', null, lock.whatIf.map(whatIf))],
      lock.findings.length > 0 && [h('h3', null, 'Findings ', badge('measured')), lock.findings.map(finding)],
      sites(lock),
      lock.json.class && h('p', {class: 'faint'}, `Declared at ${lock.json.class}, ${lock.json.type}.`),
    ].flat(2).filter(Boolean));
  }
  function detail(lock) {
    const inside = h('div', {class: 'inside'});
    let filled = false;
    const element = h('details', {id: lock.hash.slice(1), 'data-name': lock.name, ontoggle: () => {
      if (!element.open || filled) return;
      filled = true;
      fill(lock, inside);
    }}, h('summary', null, h('span', {class: 'name'}, lock.name), verdictOf(lock) && ': ' + verdictOf(lock),
      lock.advice && !lock.advice.keep && h('span', {class: 'good'}, ` ${factor(lock.advice.speedup)} ${between(lock.advice.speedup, lock.advice.interval)}`)), inside);
    return element;
  }

  // --- the table of locks

  function columns() {
    const list = [{title: 'lock', text: true, value: lock => lock.name, cell: lock => h('a', {href: lock.hash}, lock.name)}];
    if (advice) {
      const waitToday = lock => (lock.advice.alternatives[lock.advice.today] || {}).wait_ns;
      const waitThen = lock => (lock.advice.alternatives[lock.advice.kind] || {}).wait_ns;
      const group = 'predicted', changes = locks.some(lock => !lock.advice.keep);
      list.push({group, title: 'should be', text: true, value: verdictOf,
        cell: lock => h('span', {class: lock.advice.keep ? 'faint' : 'good'}, verdictOf(lock))});
      if (changes)
        list.push({group, title: 'gain of the program', value: lock => lock.advice.speedup,
          cell: lock => lock.advice.keep ? '' : [h('strong', null, factor(lock.advice.speedup)), ' ' + between(lock.advice.speedup, lock.advice.interval)]});
      list.push({group, title: 'taken', value: lock => lock.advice.contention_rate, cell: lock => percent(lock.advice.contention_rate)},
        {group, title: 'wait if kept', value: waitToday, cell: lock => duration(waitToday(lock))});
      if (changes)
        list.push({group, title: 'wait if changed', value: waitThen, cell: lock => lock.advice.keep ? '' : duration(waitThen(lock))});
    }
    if (measured.locks && measured.locks.some(lock => lock.acquisitions != null)) {
      const mean = key => lock => lock.json[key] && lock.json[key].mean;
      const group = 'measured';
      if (!advice) list.push({group, title: 'algorithm', text: true, value: lock => label(lock.json.kind), cell: lock => label(lock.json.kind)});
      list.push(
        {group, title: 'acquired', value: lock => lock.json.acquisitions, cell: lock => amount(lock.json.acquisitions)},
        {group, title: 'contended', value: lock => lock.json.contended, cell: lock => amount(lock.json.contended)},
        {group, title: 'held', value: mean('hold_ns'), cell: lock => duration(mean('hold_ns')(lock))},
        {group, title: 'waited for', value: mean('wait_ns'), cell: lock => duration(mean('wait_ns')(lock))});
      if (!advice) list.push(
        {group, title: 'utilization', value: lock => lock.json.utilization, cell: lock => percent(lock.json.utilization)},
        {group, title: 'quadrant', text: true, value: lock => lock.json.quadrant, cell: lock => lock.json.quadrant || ''});
    } else if (curves && !advice) {
      const last = curves.threads.length - 1;
      for (const [kind, of] of Object.entries(curves.kinds)) {
        const value = lock => of.locks[lock.inCurves].wait_ns[last];
        list.push({group: `${origin}: mean wait at ${curves.threads[last]} threads`, title: label(kind), value, cell: lock => duration(value(lock))});
      }
    }
    return list;
  }

  function lockSection() {
    const count = h('span', {class: 'faint', role: 'status'});
    const details = locks.map(detail), list = table('Locks', columns(), locks, {id: 'lock-table'});
    const search = h('input', {type: 'search', id: 'search', placeholder: 'lock, function or file', oninput: filter});
    function filter() {
      const wanted = search.value.trim().toLowerCase();
      let found = 0;
      const matching = new Set(locks.filter(lock => [lock.name, ...lock.sites.flatMap(site => [site.file, site.function])]
        .some(text => text.toLowerCase().includes(wanted))).map(lock => lock.name));
      for (const element of [...list.querySelectorAll('tbody tr'), ...details]) {
        element.hidden = !matching.has(element.dataset.name);
        found += element.localName === 'tr' && !element.hidden;
      }
      count.textContent = wanted ? `${found} of ${locks.length}` : `${locks.length} lock${locks.length === 1 ? '' : 's'}`;
    }
    filter();
    return h('section', {id: 'locks', 'aria-labelledby': 'locks-title'},
      h('h2', {id: 'locks-title'}, 'Locks'),
      h('div', {class: 'tools'}, h('label', {for: 'search'}, 'Search'), search, count),
      list, details);
  }

  // --- what verify measured

  const spread = (value, interval) => `${factor(value)} ${between(value, interval)}`;
  const runsOf = one => `${one.threads} thread${one.threads === 1 ? '' : 's'}${one.pinned ? ', pinned' : ''}`;
  const seen = one => one.loss ? 'a loss' : one.interval[0] > 1 ? 'a gain' : 'no difference';
  const fits = {agrees: 'as predicted', measured_more: 'more than predicted', measured_less: 'less than predicted'};
  const fitOf = one => one.predicted ? fits[one.predicted.fit] : '';
  const figureOf = value => value == null ? '-' : verification.figure === 'own' ? digits(value, 4) : duration(1e9 * value);

  function gainTable() {
    const group = 'measured', median = side => one => one[side].median;
    const columns = [
      {title: 'threads', value: one => 2 * one.threads - one.pinned, cell: runsOf, text: true},
      {group, title: 'before', value: median('before'), cell: one => figureOf(one.before.median)},
      {group, title: 'after', value: median('after'), cell: one => figureOf(one.after.median)},
      {group, title: 'gain', value: one => one.gain, cell: one => h('strong', null, spread(one.gain, one.interval))},
      {group, title: 'that is', text: true, value: seen,
        cell: one => h('span', {class: one.loss ? 'bad' : one.interval[0] > 1 ? 'good' : 'faint'}, seen(one))},
    ];
    if (verification.measured.some(one => one.predicted))
      columns.push({group: 'predicted', title: 'gain', value: one => one.predicted && one.predicted.speedup,
        cell: one => one.predicted ? spread(one.predicted.speedup, one.predicted.interval) : '-'},
        {group: 'measured and predicted', title: 'measured is', text: true, value: fitOf, cell: fitOf});
    return table('Gains', columns, verification.measured, {id: 'gain-table'});
  }

  /// The gains by number of threads: what was measured laid over what was predicted.
  function gainChart() {
    const all = verification.measured, threads = [...new Set(all.map(one => one.threads))].sort((a, b) => a - b);
    const pointsOf = (list, value) => list.map(one => ({x: one.threads, y: value(one)}));
    const boundsOf = (list, of) => list.map(one => ({x: one.threads, low: of(one)[0], high: of(one)[1]}));
    const ratio = (one, at) => verification.more_is_better ? one.after.values[at] / one.before.values[at]
      : one.before.values[at] / one.after.values[at];
    const series = [];
    // Runs pinned and not are told apart by their place beside the number of threads, too.
    const beside = 0.06 * (threads.length > 1 ? threads[threads.length - 1] - threads[0] : 1);
    for (const [pinned, look, label] of [[false, 'measured', 'measured'], [true, 'pinned', 'measured, pinned']]) {
      const list = all.filter(one => one.pinned === pinned);
      if (!list.length) continue;
      series.push({look, label, points: pointsOf(list, one => one.gain), bounds: boundsOf(list, one => one.interval),
        bars: true, single: true, strong: true});
      series.push({look, label: label + ': each pair of runs', single: true, radius: 2,
        points: list.flatMap(one => one.before.values.map((value, at) => ({x: one.threads + (pinned ? -beside : beside) / 2, y: ratio(one, at)})))});
    }
    const predicted = threads.map(count => all.find(one => one.threads === count && one.predicted)).filter(Boolean);
    if (predicted.length)
      series.push({look: 'advised', label: 'predicted', strong: true, points: pointsOf(predicted, one => one.predicted.speedup),
        bounds: boundsOf(predicted, one => one.predicted.interval), bars: predicted.length === 1});
    return chartFigure({threads, margin: 2 * beside, doubling: false, level: 1, title: 'Gain', unit: 'times as fast after the change',
      format: value => factor(value), series, origin: predicted.length ? 'measured and predicted' : 'measured'});
  }

  function verifiedSection() {
    const beyond = verification.not_measured;
    return h('section', {id: 'gains', 'aria-labelledby': 'gains-title'},
      h('h2', {id: 'gains-title'}, 'Gains by number of threads'), gainTable(),
      beyond.length > 0 && h('p', {class: 'faint'}, `Nothing was measured with ${beyond.join(', ')} threads: there are only `,
        `${verification.processors} processors here.`),
      h('div', {class: 'charts'}, gainChart()),
      h('h2', null, 'Runs ', badge('measured')),
      h('p', {class: 'faint'}, 'In the order in which they ran, the one before the change beside the one after it.'),
      verification.measured.map(one => h('details', {'data-name': runsOf(one)}, h('summary', null, h('span', {class: 'name'}, runsOf(one)), `: ${one.before.values.length} pairs`),
        h('div', {class: 'inside scroll', tabindex: 0, role: 'region', 'aria-label': 'Runs with ' + runsOf(one)}, h('table', null,
          h('thead', null, h('tr', null, ['pair', 'before', 'after'].map(text => h('th', {scope: 'col', class: 'number'}, text)))),
          h('tbody', null, one.before.values.map((value, at) => h('tr', null, h('th', {scope: 'row', class: 'number'}, at + 1),
            h('td', {class: 'number'}, figureOf(value)), h('td', {class: 'number'}, figureOf(one.after.values[at]))))))))));
  }
  function verifiedVerdict() {
    return verification.measured.map((one, at) => h('p', {class: at + 1 === verification.measured.length ? 'verdict' : null},
      h('span', {class: one.loss ? 'bad' : one.interval[0] > 1 ? 'good' : 'faint'}, factor(one.gain)),
      h('span', {class: 'faint'}, ' ' + between(one.gain, one.interval)),
      ` with ${runsOf(one)}: ${seen(one)}${one.predicted ? ', ' + fitOf(one) : ''}`)).reverse();
  }

  // --- the head of the page

  function verdict() {
    if (verification)
      return [...verifiedVerdict(), h('p', {class: 'faint'}, 'Intervals in parentheses are of 95 %; those of medians assume nothing about distributions.')];
    if (!advice) return [];
    const changes = locks.filter(lock => !lock.advice.keep), rates = advice.throughput_per_s;
    const lines = changes.length === 0
      ? [h('p', {class: 'verdict'}, 'Keep every lock'), h('p', null, `${amount(rates.today)} critical sections per second`,
           advice.lower_bound ? ' are a lower bound: no model tells what another lock would gain.' : '.')]
      : [h('p', {class: 'verdict'}, h('span', {class: 'good'}, factor(advice.speedup)), h('span', {class: 'faint'}, ' ' + between(advice.speedup, advice.interval)),
           ` with ${changes.length === 1 ? 'one lock' : changes.length + ' locks'} changed`),
         h('p', null, `From ${amount(rates.today)} to ${amount(rates.advised)} critical sections per second at ${advice.threads} threads on ${advice.cores} cores. `,
           advice.run && `The whole run is faster by ${factor(advice.run.speedup)} ${between(advice.run.speedup, advice.run.interval)}.`)];
    return [...lines, h('p', {class: 'faint'}, 'Intervals in parentheses are of 95 %: the sampling error in the profile and the models\' own errors.')];
  }
  function origins() {
    const parts = [];
    if (verification) {
      const what = verification.figure === 'own' ? `the program's own ${verification.more_is_better ? 'rate' : 'time'}` : 'the time of the whole run';
      parts.push(h('p', null, badge('measured'), ` on ${verification.host} (${verification.processors} processor${verification.processors === 1 ? '' : 's'}): `,
        `${what}; medians of ${verification.measured[0].before.values.length} pairs of runs.`));
      if (verification.measured.some(one => one.predicted))
        parts.push(h('p', null, badge('predicted'), ' the gain of the same change, by the models.'));
    }
    if (measured.duration_s != null)
      parts.push(h('p', null, badge('measured'), ` one run of ${measured.program}: ${digits(measured.duration_s, 3)} s, `,
        `${recorded} thread${recorded === 1 ? '' : 's'}${data.scaling ? ' of ' + data.scaling.join(', ') : ''}`));
    if (advice || curves)
      parts.push(h('p', null, badge(origin), ' everything at other numbers of threads and with other locks. Machine: ', data.machine, '.'));
    return parts;
  }

  function header() {
    const theme = h('button', {type: 'button', class: 'theme', onclick: () => {
      const root = document.documentElement;
      const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
      root.dataset.theme = dark ? 'light' : 'dark';
      redraw();
    }}, 'Light or dark');
    document.getElementById('top').append(
      h('div', {class: 'bar'}, h('h1', null, data.title), theme), ...origins());
  }
  function redraw() { for (const draw of drawn) draw(); }

  // --- links to a lock

  function openLinked() {
    if (!location.hash.startsWith('#lock=')) return;
    const name = decodeURIComponent(location.hash.slice(6));
    const found = [...document.querySelectorAll('details[data-name]')].find(one => one.dataset.name === name);
    if (!found) return;
    found.hidden = false;
    found.open = true;
    found.querySelector('summary').focus({preventScroll: true});
    found.scrollIntoView();
  }

  header();
  const main = document.getElementById('main');
  const notes = (advice && advice.notes) || (verification && verification.notes) || data.notes || [];
  if (verification) document.querySelector('a.skip').replaceWith(h('a', {class: 'skip', href: '#gains'}, 'Skip to the gains'));
  const others = (measured.findings || []).filter(one => !names.includes(one.lock));
  main.replaceChildren(...[
    ...verdict(),
    verification ? verifiedSection() : lockSection(),
    curves && curves.threads.length > 1 && h('section', {id: 'curves'}, h('h2', null, 'Throughput'), throughputChart()),
    measured.graph && measured.graph.sections.length > 0 && graph(measured.graph),
    (measured.findings || []).length > 0 && h('section', {id: 'findings'}, h('h2', null, 'Findings ', badge('measured')),
      others.map(finding), measured.findings.filter(one => !others.includes(one)).map(finding)),
    notes.length > 0 && h('section', {id: 'notes'}, h('h2', null, 'Notes'), h('ul', null, notes.map(text => h('li', null, text)))),
    h('footer', null, 'Written by QDAdvise. Charts: Chart.js, MIT licence (its text is in this page).'),
  ].filter(Boolean));
  const first = document.querySelector('#locks details');
  if (first && !location.hash.startsWith('#lock=')) first.open = true;
  openLinked();
  addEventListener('hashchange', openLinked);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
})();
