"""Weighted shortest paths on graphs where paths are long, and on graphs where they are short."""

import random

import networkx as nx


class LongPath:
    """One line of 1,500 nodes: the path is as long as the graph."""

    def setup(self):
        self.graph = nx.path_graph(1500)
        self.last = 1499

    def time_dijkstra_path(self):
        nx.dijkstra_path(self.graph, 0, self.last)

    def time_dijkstra_path_length(self):
        nx.dijkstra_path_length(self.graph, 0, self.last)

    def time_bidirectional_dijkstra(self):
        nx.bidirectional_dijkstra(self.graph, 0, self.last)

    def time_shortest_path_weighted(self):
        nx.shortest_path(self.graph, 0, self.last, weight="weight")


class Grid:
    """A grid of 40 by 40 with weights from 1 to 9; from corner to corner."""

    def setup(self):
        self.graph = nx.grid_2d_graph(40, 40)
        draw = random.Random(1)
        for _, _, data in self.graph.edges(data=True):
            data["weight"] = draw.randint(1, 9)
        self.first, self.last = (0, 0), (39, 39)

    def time_dijkstra_path(self):
        nx.dijkstra_path(self.graph, self.first, self.last)

    def time_bidirectional_dijkstra(self):
        nx.bidirectional_dijkstra(self.graph, self.first, self.last)

    def time_single_source_dijkstra(self):
        nx.single_source_dijkstra(self.graph, self.first)

    def time_single_source_dijkstra_path_length(self):
        nx.single_source_dijkstra_path_length(self.graph, self.first)

    def time_bellman_ford_path(self):
        nx.bellman_ford_path(self.graph, self.first, self.last)


class Sparse:
    """A random graph of 600 nodes and 2,400 edges: paths are short."""

    def setup(self):
        self.graph = nx.gnm_random_graph(600, 2400, seed=2)
        draw = random.Random(3)
        for _, _, data in self.graph.edges(data=True):
            data["weight"] = draw.randint(1, 9)
        self.sources = set(range(0, 600, 60))

    def time_dijkstra_path(self):
        nx.dijkstra_path(self.graph, 0, 599)

    def time_multi_source_dijkstra(self):
        nx.multi_source_dijkstra(self.graph, self.sources)

    def time_predecessors(self):
        nx.dijkstra_predecessor_and_distance(self.graph, 0)
